"""The data source `zeps`: `datasource` has the class that Spark registers, `options` the options for reading."""
