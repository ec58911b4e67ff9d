"""The crate ``zeps-wire``: codecs, machines and the driver in Rust, without dependencies or unsafe code."""

from .target import FOLDER, render

__all__ = ["FOLDER", "render"]
