"""The data source `zeps`: `datasource` is what Spark finds, `options` what users may say."""
