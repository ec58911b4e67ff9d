"""The Java 17 target: a Maven project of records and sealed interfaces, the machines, and a driver."""

from .target import FOLDER, render

__all__ = ["FOLDER", "render"]
