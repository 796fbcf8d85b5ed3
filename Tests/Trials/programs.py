"""Where a PostgreSQL is that has Citus."""

import glob
import os
import sys


def programs():
    """The folder with its programs: that of CITUS_PROGRAMS, or the newest of Debian's; ends with 69 where there is none."""
    named = os.environ.get("CITUS_PROGRAMS")
    places = [named] if named else sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)
    for place in places:
        # postgres and its libraries lie side by side: …/bin and …/lib.
        if os.path.exists(os.path.join(place, "initdb")) and os.path.exists(os.path.join(place, "../lib/citus.so")):
            return place
    print(
        f"no PostgreSQL with Citus was found in {', '.join(places) or '/usr/lib/postgresql'}; install Citus 13.2 for PostgreSQL 15 "
        "(https://docs.citusdata.com), or name the folder with its initdb in CITUS_PROGRAMS", file=sys.stderr)
    sys.exit(69)


if __name__ == "__main__":
    print(programs())
