"""Packs the generated model and specifications into wheels. An editable installation reads them in ``generated/``."""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ModelHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "standard":
            include = build_data["force_include"]
            include["generated/model.json"] = "zeps_conformance/model.json"
            for name in ("zeps-rfc.html", "zmtp-rfc.html"):
                include[f"generated/docs/{name}"] = f"zeps_conformance/specifications/{name}"
