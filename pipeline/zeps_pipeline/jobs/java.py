"""Check for a usable Java before Spark starts: Spark's own errors do not name the cause."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

from zeps_pipeline.errors import PipelineError

__all__ = ["require_java"]

OLDEST = 17
_REMEDY = (
    f"Spark needs Java {OLDEST} or later: install one (on Debian: apt-get install openjdk-17-jre-headless), "
    "or set JAVA_HOME to the folder of an installed one"
)


def require_java() -> str:
    """Path of the Java that Spark uses (JAVA_HOME or PATH). Raises PipelineError if it is missing, broken or old."""
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else shutil.which("java")
    if java is None:
        raise PipelineError(f"java is not on the PATH, and JAVA_HOME is not set. {_REMEDY}")
    try:
        version_run = subprocess.run([java, "-version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        where = f" (JAVA_HOME is {home})" if home else ""
        raise PipelineError(f"{java} does not run{where}. {_REMEDY}") from error
    version = re.search(r'version "(?:1\.)?(\d+)', version_run.stderr + version_run.stdout)
    if version is None or int(version[1]) < OLDEST:
        description = f"Java {version[1]}" if version else "of an unknown version"
        raise PipelineError(f"{java} is {description}. {_REMEDY}")
    return java
