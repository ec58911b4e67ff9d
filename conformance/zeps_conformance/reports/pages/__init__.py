"""Runs as a folder of linked HTML pages, whose file names stay the same when a run or case is added."""
