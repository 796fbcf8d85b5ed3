"""A PostgreSQL cluster that initdb made once, to be copied for each daemon."""

import glob
import os
import shutil
import subprocess
import tempfile

# A cluster that nothing was done with yet.
HERE = os.path.dirname(os.path.abspath(__file__))
CLUSTER = os.path.abspath(os.path.join(HERE, "..", "..", "..", "..", ".build", "test-cluster"))


def programs():
    """The folder with the programs of the newest PostgreSQL; None where there is none."""
    return max(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[-2]), default=None)


def has_cluster():
    """Makes it once, as `throng serve` would: initdb takes seconds, and programs start hundreds of daemons."""
    if os.path.isdir(CLUSTER):
        return True
    if not programs() or os.getuid() != 0:
        return False
    os.makedirs(os.path.dirname(CLUSTER), exist_ok=True)
    folder = tempfile.mkdtemp(prefix="te-cluster-", dir="/tmp")
    shutil.chown(folder, "postgres", "postgres")
    subprocess.run(
        ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--", programs() + "/initdb", "-D", folder + "/data", "-U",
         "postgres", "--encoding=UTF8", "--locale=C", "--data-checksums", "--auth=trust", "--no-instructions", "--no-sync"],
        check=True, cwd="/", stdout=subprocess.DEVNULL)
    # Whoever else makes one at this moment may be the first.
    copy = tempfile.mkdtemp(prefix="test-cluster-", dir=os.path.dirname(CLUSTER))
    subprocess.run(["cp", "-a", folder + "/data", copy], check=True)
    try:
        os.rename(copy, CLUSTER)
    except OSError:
        shutil.rmtree(copy)
    shutil.rmtree(folder)
    return True


def copy_cluster(path):
    """Where it is to be, or into an empty folder there."""
    subprocess.run(["cp", "-a", "-T", CLUSTER + "/data", path], check=True)
