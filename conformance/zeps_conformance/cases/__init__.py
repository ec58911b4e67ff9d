"""The written cases, one package for each profile; ``zmtp_any`` holds those that profiles share."""
