"""The cases: one package for each profile; ``zmtp_any`` contains those that zmtp-pub and zmtp-router share."""
