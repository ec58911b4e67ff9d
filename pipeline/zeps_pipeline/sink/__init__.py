"""The sink, `write.format("zeps")` and `writeStream.format("zeps")`: publishes each row once. Tasks check their rows
and write them to files (`writer`, `rows`, `staging`). The commit of an epoch declares the files that it publishes and
the sequences at which the streams ended (`staging`), publishes over its own connection (`publishing`, `session`), and
records the epoch as published. After a crash, the next commit of that epoch publishes the rows that are not in the
stream.
"""
