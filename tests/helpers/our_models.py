"""The project's own models, loaded once for all tests of a process."""

from __future__ import annotations

from pathlib import Path

from zeps_codegen.load import load_bundle

__all__ = ["BUNDLE", "MODELS"]

#: The files of the models, in the order of their names.
MODELS = sorted((Path(__file__).parents[2] / "protocol").glob("*.xml"))
BUNDLE = load_bundle(MODELS)
