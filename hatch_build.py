"""Packs the generated model into wheels. An editable installation reads it in ``generated/``."""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ModelHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "standard":
            build_data["force_include"]["generated/model.json"] = "zeps_conformance/model.json"
