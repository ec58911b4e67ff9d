"""The sink, `write.format("zeps")` and `writeStream.format("zeps")`: publishes each row once.

Tasks check their rows and write them to files (`writer`, `rows`, `staging`). The commit of an epoch writes a
declaration of the files that it publishes and of the sequences at which the streams ended before it
(`staging`), publishes the files over its own connection (`publishing`, `session`), and records the epoch as
published. After a crash, the next commit of that epoch finds the declaration, reads back the rows that are
already in the stream, and publishes the others.
"""
