"""Audit of a journal: `segment` audits one segment, `merge` combines the results of a stream's segments, `job` runs
both on Spark. The package `reports` renders the result.
"""
