"""The journal's format (`protocol/journal.xml`), for everything that reads or writes a journal."""
