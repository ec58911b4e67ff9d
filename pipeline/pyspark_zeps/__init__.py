"""Lets Spark find the data source `zeps`: it looks for `DefaultSource` in packages named `pyspark_*`."""

from zeps_pipeline.source.datasource import ZepsDataSource as DefaultSource

__all__ = ["DefaultSource"]
