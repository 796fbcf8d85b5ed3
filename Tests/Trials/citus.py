"""Three daemons count into a cluster of Citus, a coordinator and two workers, under load: in each trial a node or a daemon is killed
or frozen at random. Afterwards nothing is lost, nothing doubled, devices are exact, and a plain PostgreSQL that is
restored from a backup under load comes to the same events, and releases the same day, byte for byte."""

import contextlib
import glob
import os
import pwd
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../EndToEndTests/Programs/Support"))

import daemon  # noqa: E402
import daemons  # noqa: E402
import fleet  # noqa: E402
from daemon import check, say  # noqa: E402

ROTATION = daemons.ROTATION
NODES = ["coordinator", "worker1", "worker2"]


def programs():
    """The folder with its programs: that of CITUS_PROGRAMS, or the newest of Debian's; ends with 69 where there is none."""
    named = os.environ.get("CITUS_PROGRAMS")
    places = [named] if named else sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)
    for place in places:
        # postgres and its libraries lie side by side: …/bin and …/lib.
        if os.path.exists(os.path.join(place, "initdb")) and os.path.exists(os.path.join(place, "../lib/citus.so")):
            return place
    print(f"no PostgreSQL with Citus was found in {', '.join(places) or '/usr/lib/postgresql'}; install Citus 13.2 for PostgreSQL 15 "
          "(https://docs.citusdata.com), or name the folder with its initdb in CITUS_PROGRAMS", file=sys.stderr)
    sys.exit(69)


class Nodes(fleet.Postgres):
    """A coordinator and two workers on loopback ports, as the user postgres."""

    def __init__(self, folder):
        self.folder = os.path.join(folder, "postgres")
        self.programs = programs()
        os.mkdir(self.folder)
        user = pwd.getpwnam("postgres")
        os.chown(self.folder, user.pw_uid, user.pw_gid)
        self.ports = dict(zip(NODES, daemon.free_ports(len(NODES))))
        for node in NODES:
            self.run("initdb", "-D", self.data(node), "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8")
            with open(os.path.join(self.data(node), "postgresql.conf"), "a") as file:
                file.write(
                    f"listen_addresses = '127.0.0.1'\nport = {self.ports[node]}\nunix_socket_directories = '{self.folder}'\n"
                    "shared_preload_libraries = 'citus'\nmax_connections = 600\nmax_worker_processes = 500\nmax_prepared_transactions = 200\n"
                    "timezone = 'UTC'\njit = off\nmax_wal_size = 1GB\ncitus.node_conninfo = 'sslmode=disable'\n"
                    "citus.recover_2pc_interval = '5s'\n")
            self.start(node)

    def data(self, node):
        return os.path.join(self.folder, node)

    def start(self, node):
        self.run("pg_ctl", "-D", self.data(node), "-w", "-t", "100", "-l", self.data(node) + ".log", "start")

    def kill(self, node):
        """As good as kill -9 of all its processes."""
        self.run("pg_ctl", "-D", self.data(node), "-w", "-m", "immediate", "stop")

    def signal(self, node, number):
        """To all processes of a node."""
        postmaster = int(daemon.read(self.data(node), "postmaster.pid").split("\n")[0])
        for each in [postmaster, *daemon.children(postmaster)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, number)

    def stop(self, how="immediate"):
        for node in NODES:
            if os.path.exists(os.path.join(self.data(node), "postmaster.pid")):
                self.signal(node, signal.SIGCONT)
                self.run("pg_ctl", "-D", self.data(node), "-w", "-m", how, "stop")

    def sql(self, query, database="throng", node="coordinator"):
        return daemon.psql(query, "-h", self.folder, "-p", str(self.ports[node]), "-d", database)


class Cluster(Nodes):
    """To whoever asks it is one PostgreSQL."""

    def __init__(self, folder):
        super().__init__(folder)
        for node in NODES:
            self.sql("create database throng", "postgres", node)
            self.sql("create extension citus", node=node)
        self.sql(f"select citus_set_coordinator_host('127.0.0.1', {self.ports['coordinator']})")
        for node in NODES[1:]:
            self.sql(f"select citus_add_node('127.0.0.1', {self.ports[node]})")
        self.throng("--migrate")
        self.throng("--distribute", "--parts", "8")

    def throng(self, *words):
        daemon.ran(daemon.BINARY, "database", *words, "--database", self.url)

    @property
    def url(self):
        return f"host={self.folder} port={self.ports['coordinator']} user=postgres dbname=throng"


# What is done to a node, or to a daemon.

def node_killed(house, node, chance):
    house.postgres.kill(node)
    time.sleep(chance.uniform(0, 5))
    house.postgres.start(node)


def worker_killed(house, member, chance):
    node_killed(house, chance.choice(NODES[1:]), chance)


def worker_frozen(house, member, chance):
    node = chance.choice(NODES[1:])
    house.postgres.signal(node, signal.SIGSTOP)
    time.sleep(chance.uniform(0.5, 14))
    house.postgres.signal(node, signal.SIGCONT)


def coordinator_killed(house, member, chance):
    node_killed(house, "coordinator", chance)


def all_killed(house, member, chance):
    for node in chance.sample(NODES, 3):
        house.postgres.kill(node)
    for node in chance.sample(NODES, 3):
        time.sleep(chance.uniform(0, 2))
        house.postgres.start(node)


def daemon_killed_with_worker(house, member, chance):
    node = chance.choice(NODES[1:])
    house.postgres.kill(node)
    time.sleep(chance.uniform(0, 2))
    member.kill()
    time.sleep(chance.uniform(0, 2))
    house.postgres.start(node)
    member.start()


def set_back(house):
    """The control: nodes that have what a daemon flushed, and not that they have it."""
    def positions():
        return dict(house.postgres.sql("select shard, position from throng.watermark"))
    before = positions()
    daemon.until(lambda: any(position != before[shard] for shard, position in positions().items()), "nobody flushes", pause=0.2)
    for shard, position in before.items():
        house.postgres.sql(f"update throng.watermark set position = {position} where shard = {shard}")


KINDS = [worker_killed, worker_frozen, coordinator_killed, all_killed, daemon_killed_with_worker]


def released(postgres, member):
    """The day of the trial's events, released by hand: headers and digests, cells, and what is withheld."""
    member.release("--database", postgres.url)
    return [postgres.sql(query) for query in (
        "select metric, period_start, header, digest from throng.release order by 1, 2",
        "select metric, period_start, margin, cell, buckets, count, sums, cell.reach from throng.released_cell as cell"
        " join throng.release using (release_id) order by 1, 2, 3, 4",
        "select metric, period_start, to_jsonb(cell) - 'release_id' from throng.withheld_cell as cell"
        " join throng.release using (release_id) order by 1, 2, 3")]


def restored(house, file, total):
    """A plain PostgreSQL from a backup of the cluster; what the backup lacks daemons flush again."""
    folder = house.folder + "/plain"
    os.mkdir(folder)
    os.chmod(folder, 0o755)
    plain = fleet.Postgres(folder)
    house["a"].command("restore", file, "--data", house["a"].data, "--database", plain.url, "--database-only")
    house.postgres = plain
    behind = house.counted()
    for member in house.members.values():
        member.start()
    daemon.until(lambda: house.counted() >= total, "daemons do not bring the others", seconds=120)
    say(f"a backup under load had {behind:,} of the events; daemons brought the others")
    return plain


def trials(options):
    house = daemons.joined(fleet.Fleet(daemons.plan(), names="abc", postgres=Cluster))
    doors = [("127.0.0.1", member.port) for member in house.members.values()]
    clients = daemons.Clients(lambda: doors, ROTATION, f"citus {options.seed}", devices=200, threads=12, at=time.time() - 86400)
    file = house.folder + "/backup"

    def backed_up():
        time.sleep(2)
        house["a"].command("backup", "--data", house["a"].data, "--database", house.postgres.url, "--to", file)
        if options.control:
            set_back(house)
        time.sleep(2)

    found, doubled, _ = daemons.tried(options, house, clients, KINDS, backed_up)
    nodes = house.postgres.sql("select nodeport, count(*) from pg_dist_shard_placement group by 1 order by 1")
    say(f"parts by node: {nodes}")
    for member in house.members.values():
        check(member.stop() == 0, "serve stops gracefully")
    cluster, total = house.postgres, found - doubled
    plain = restored(house, file, total)
    try:
        check(house.counted() == total, "a plain PostgreSQL has", house.counted(), "events, not", total)
        for member in house.members.values():
            check(member.stop() == 0, "serve stops gracefully")
        expected, found = released(plain, house["a"]), released(cluster, house["a"])
    finally:
        house.postgres = cluster
        plain.stop("immediate")
    check(expected[0] and expected[1], "something was released")
    if options.control:
        check(found != expected, "a cluster that counts twice releases the same")
        return
    check(found == expected, "releases are those of a plain PostgreSQL:", found, expected)
    say(f"{len(found[0])} releases of {len(found[1])} numbers are those of a plain PostgreSQL, byte for byte")


def suite(options):
    """The tests of what speaks to PostgreSQL, each database with its counters on the nodes."""
    nodes = Nodes(daemon.temporary())
    try:
        ports = ",".join(str(nodes.ports[node]) for node in NODES)
        done = subprocess.run(
            ["Deploy/test", "--filter", options.suite], cwd=daemon.ROOT, stdin=subprocess.DEVNULL,
            env={**os.environ, "THRONG_TEST_CITUS": f"{nodes.folder}:{ports}",
                 # Each test makes a database on three nodes.
                 "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": "6"})
    finally:
        nodes.stop()
    check(done.returncode == 0, "tests failed")


def main():
    parser = daemons.command_line(30)
    parser.add_argument("--suite", nargs="?", const="^ThrongStoreTests", metavar="FILTER")
    parser.add_argument("--find", action="store_true", help="only says where a PostgreSQL is that has Citus")
    options = parser.parse_args()
    if options.find:
        return print(programs())
    daemon.main(lambda: suite(options) if options.suite else trials(options))


if __name__ == "__main__":
    main()
