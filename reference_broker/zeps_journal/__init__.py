"""The journal's format (`protocol/journal.xml`), for every program that reads or writes a journal.

`names` and `header` identify the stream of a folder and of a segment file; `block` and `index` describe a block. `scan`
divides a segment into blocks to serve and holes, `resync` finds the next block after damage, and `walk` uses only block
heads. This package does not open folders, take locks or write files.
"""
