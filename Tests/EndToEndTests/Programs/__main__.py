"""Runs a program of these folders by its name: python3 Tests/EndToEndTests/Programs first_light [OPTION…]

THRONG_BINARY names the built throng. A program's claims are its function `test`. Modules that several programs use are in Support; a
program may also use another one's parts."""

import glob
import importlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDERS = sorted(glob.glob(os.path.join(HERE, "[A-Z]*")), key=lambda path: not path.endswith("Support"))
PROGRAMS = {os.path.basename(path)[:-3]: path for folder in FOLDERS[1:] for path in sorted(glob.glob(os.path.join(folder, "*.py")))}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in PROGRAMS:
        sys.exit(f"usage: {sys.argv[0]} PROGRAM [OPTION…]; programs are {', '.join(PROGRAMS)}")
    sys.path[:1] = FOLDERS
    program = importlib.import_module(sys.argv[1])
    sys.argv[:] = [program.__file__, *sys.argv[2:]]
    importlib.import_module("daemon").main(program.test)
