"""The hand-written cases: one package for each profile; ``zmtp_any`` contains the cases that profiles share."""
