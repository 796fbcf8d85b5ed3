"""Builds the wheel for `pip install ./Deploy/clients/python`, with the standard library alone (PEP 517)."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import re
import tarfile
import zipfile
from typing import Any, Optional

HERE = os.path.dirname(os.path.abspath(__file__))
MODULES = ["throng_buckets.py", "throng_client.py", "throng_folder.py", "throng_oblivious.py", "throng_sender.py",
           "throng_speaker.py"]


def _read(name: str) -> str:
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read()


def _said(key: str) -> str:
    """A text of pyproject.toml; Python reads TOML itself only from 3.11 on."""
    found = re.search(rf'^{key} = "(.*)"$', _read("pyproject.toml"), re.M)
    if not found:
        raise SystemExit(f"pyproject.toml has no {key}.")
    return found[1]


def _metadata() -> str:
    return "\n".join([
        "Metadata-Version: 2.1", f"Name: {_said('name')}", f"Version: {_said('version')}", f"Summary: {_said('description')}",
        f"License: {_said('license')}", f"Requires-Python: {_said('requires-python')}", "Provides-Extra: relay",
        'Requires-Dist: cryptography; extra == "relay"', "Description-Content-Type: text/markdown", "", _read("README.md")])


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Optional[str] = None) -> str:
    stem = f"{_said('name').replace('-', '_')}-{_said('version')}"
    files = {name: _read(name) for name in MODULES}
    files[f"{stem}.dist-info/METADATA"] = _metadata()
    files[f"{stem}.dist-info/WHEEL"] = "Wheel-Version: 1.0\nGenerator: throng_build\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = f"{stem}.dist-info/RECORD"
    lines = []
    for name, text in files.items():
        code = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={code},{len(text.encode())}")
    files[record] = "\n".join([*lines, f"{record},,", ""])
    with zipfile.ZipFile(os.path.join(wheel_directory, f"{stem}-py3-none-any.whl"), "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, text in files.items():
            # The same bytes each time.
            wheel.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), text, zipfile.ZIP_DEFLATED)
    return f"{stem}-py3-none-any.whl"


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    stem = f"{_said('name').replace('-', '_')}-{_said('version')}"
    with tarfile.open(os.path.join(sdist_directory, f"{stem}.tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name in [*MODULES, "throng_build.py", "pyproject.toml", "README.md"]:
            archive.add(os.path.join(HERE, name), f"{stem}/{name}")
        metadata = _metadata().encode()
        about = tarfile.TarInfo(f"{stem}/PKG-INFO")
        about.size = len(metadata)
        archive.addfile(about, io.BytesIO(metadata))
    return f"{stem}.tar.gz"
