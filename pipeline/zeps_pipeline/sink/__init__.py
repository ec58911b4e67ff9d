"""`write.format("zeps")` and `writeStream.format("zeps")`: rows to a broker, each once.

Tasks check their rows and lay them into files (`writer`, `rows`, `staging`). The commit of an epoch declares which of
those files it publishes and where the streams ended before it (`staging`), publishes them over a connection of its
own (`publishing`, `session`), and writes down that it did. After a crash the next commit of that epoch finds the
declaration, reads back what of it is in the stream, and publishes what is not.
"""
