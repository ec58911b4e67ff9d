"""The cases of profile ``zeps1``: one module for each section of the profile, and helpers."""

from __future__ import annotations
