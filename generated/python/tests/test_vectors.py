"""The vectors of `vectors`: frames with the expected messages or errors."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

DecodeError = importlib.import_module("zeps_wire").DecodeError
FILES = sorted((Path(__file__).parent / "vectors").glob("*.json"))
MODULES = {
    "journal": "journal",
    "zeps": "zeps",
    "zmtp": "zmtp",
    "zmtp_1": "zmtp_1",
    "zmtp_2": "zmtp_2",
    "zmtp_frame": "zmtp_frame",
}


def _frames(vector: dict[str, Any], one: str = "frame", many: str = "frames") -> list[bytes]:
    return [bytes.fromhex(frame) for frame in (vector[many] if many in vector else [vector[one]])]


def _decode(module: Any, frames: list[bytes]) -> Any:
    return module.decode_frames(frames) if hasattr(module, "decode_frames") else module.decode(frames[0])


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.stem))
def test_vectors(path: Path) -> None:
    vectors = json.loads(path.read_text(encoding="utf-8"))
    module = importlib.import_module(f"zeps_wire.{MODULES[path.stem]}")
    for vector in vectors["positive"]:
        frames = _frames(vector)
        message = _decode(module, frames)
        wanted = vector.get("encoded")
        again = (
            [bytes.fromhex(one) for one in ([wanted] if isinstance(wanted, str) else wanted)]
            if wanted is not None
            else frames
        )
        found = message.encode_frames() if hasattr(message, "encode_frames") else [message.encode()]
        assert (message.NAME, found, message.size()) == (vector["message"], again, sum(map(len, again))), (
            vector["name"]
        )
    for vector in vectors["negative"]:
        with pytest.raises(DecodeError) as caught:
            _decode(module, _frames(vector))
        error = caught.value
        assert (error.code, error.message, error.field) == (
            vector["error"],
            vector["message"],
            vector["field"],
        )
        assert error.offset == (vector["offset"] or 0), vector["name"]
