"""C that is put before the C library."""

import os
import shutil

from daemon import check, ran


def library(source, folder):
    """The path of a small C library, to be put before the C library's by LD_PRELOAD."""
    path = os.path.join(folder, os.path.basename(source)[:-2] + ".so")
    compiler = shutil.which("clang") or shutil.which("cc")
    check(compiler, "there is no C compiler")
    ran(compiler, "-O1", "-shared", "-fPIC", "-o", path, source)
    return path
