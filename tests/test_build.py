"""The cache of agocheck builds: what is in use stays, what upgrades left behind goes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from dirs import Dirs

from ago.checker.build import _KEPT_BUILDS, _prune, build_key, find_agocheck
from ago.checker.gocmd import Go, find_go
from ago.scaffold.ahead import build_ahead


def test_a_build_in_use_outlives_newer_ones(tmp_path: Path):
    go = Go(Path("go"), Path("goroot"), "go1.26.0", {})
    used = tmp_path / "agocheck" / build_key(go)
    others = [used.parent / name for name in ("a", "b", "c", "d")]
    for age, folder in enumerate([*others, used]):
        folder.mkdir(parents=True)
        (folder / "agocheck").touch()
        os.utime(folder, (1_000_000 - age, 1_000_000 - age))
    assert find_agocheck(go, tmp_path) == used / "agocheck"
    _prune(used.parent, keep=others[-1])
    left = {folder.name for folder in used.parent.iterdir()}
    assert used.name in left and others[-1].name in left and len(left) == _KEPT_BUILDS


@pytest.mark.go
def test_it_is_built_ahead_by_a_process_of_its_own(ago_dirs: Dirs):
    assert build_ahead(ago_dirs.env()).wait(120) == 0
    assert (ago_dirs.cache / "ago" / "agocheck" / build_key(find_go()) / "agocheck").exists()
