"""What is wrong with a journal: gaps, repeats, disorder and damage, and when how much was stored.

`segment` reads one segment, `merge` puts a stream's segments together, `job` does both with Spark; `report` and `page`
show the result.
"""
