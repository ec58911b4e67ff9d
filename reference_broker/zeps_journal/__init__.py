"""The journal's format (`protocol/journal.xml`), for everything that reads or writes a journal.

`names` and `header` say which stream a folder and a segment file belong to, `block` and `index` describe a block, and
`scan` cuts a segment into blocks that can be served and holes that cannot, with `resync` to find the next block after
damage. `walk` does the same by block heads alone. Nothing here opens a folder, takes a lock or writes a file.
"""
