"""Three daemons count into a cluster of Citus, a coordinator and two workers, under load: in each trial a node or a daemon is killed
or frozen at random. Afterwards nothing is lost, nothing doubled, devices are exact, and a plain PostgreSQL that is
restored from a backup under load comes to the same events, and releases the same day, byte for byte.

Usage: see Deploy/trial
"""

import argparse
import collections
import os
import pwd
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../EndToEndTests/Programs/Support"))

import daemon  # noqa: E402
import daemons  # noqa: E402
import fleet  # noqa: E402
from daemon import check, say  # noqa: E402
from programs import programs  # noqa: E402

ROTATION = daemons.ROTATION
NODES = ["coordinator", "worker1", "worker2"]


class Nodes:
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

    def run(self, program, *words):
        done = subprocess.run(
            [os.path.join(self.programs, program), *words], capture_output=True, text=True, cwd="/", timeout=120,
            user="postgres" if os.getuid() == 0 else None, extra_groups=[] if os.getuid() == 0 else None)
        check(done.returncode == 0, program, done.stdout, done.stderr)

    def start(self, node):
        self.run("pg_ctl", "-D", self.data(node), "-w", "-t", "100", "-l", self.data(node) + ".log", "start")

    def kill(self, node):
        """As good as kill -9 of all its processes."""
        self.run("pg_ctl", "-D", self.data(node), "-w", "-m", "immediate", "stop")

    def signal(self, node, number):
        """To all processes of a node."""
        with open(os.path.join(self.data(node), "postmaster.pid")) as file:
            postmaster = int(file.readline())
        children = subprocess.run(["pgrep", "-P", str(postmaster)], capture_output=True, text=True).stdout.split()
        for each in [postmaster, *map(int, children)]:
            try:
                os.kill(each, number)
            except ProcessLookupError:
                pass

    def stop(self, how="immediate"):
        for node in NODES:
            if os.path.exists(os.path.join(self.data(node), "postmaster.pid")):
                self.signal(node, signal.SIGCONT)
                self.run("pg_ctl", "-D", self.data(node), "-w", "-m", how, "stop")

    def sql(self, query, database="throng", node="coordinator"):
        return [line.split("\x1f") for line in self.rows(query, database, node).split("\n") if line]

    def rows(self, query, database="throng", node="coordinator"):
        done = subprocess.run(
            ["psql", "-X", "-q", "-A", "-t", "-F", "\x1f", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-p", str(self.ports[node]),
             "-U", "postgres", "-d", database, "-c", query], capture_output=True, text=True, timeout=600)
        check(done.returncode == 0, "psql:", done.stderr)
        return done.stdout


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
        code, _, said = daemon.run("database", *words, "--database", self.url)
        check(code == 0, "throng database", *words, "ended with", code, said)

    @property
    def url(self):
        return f"host={self.folder} port={self.ports['coordinator']} user=postgres dbname=throng"


# What is done to a node, or to a daemon.

def worker_killed(house, chance):
    node = chance.choice(NODES[1:])
    house.postgres.kill(node)
    time.sleep(chance.uniform(0, 5))
    house.postgres.start(node)


def worker_frozen(house, chance):
    node = chance.choice(NODES[1:])
    house.postgres.signal(node, signal.SIGSTOP)
    time.sleep(chance.uniform(0.5, 14))
    house.postgres.signal(node, signal.SIGCONT)


def coordinator_killed(house, chance):
    house.postgres.kill("coordinator")
    time.sleep(chance.uniform(0, 5))
    house.postgres.start("coordinator")


def all_killed(house, chance):
    for node in chance.sample(NODES, 3):
        house.postgres.kill(node)
    for node in chance.sample(NODES, 3):
        time.sleep(chance.uniform(0, 2))
        house.postgres.start(node)


def daemon_killed_with_worker(house, chance):
    member = house[chance.choice("abc")]
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
    before, deadline = positions(), time.monotonic() + 60
    while not any(position != before[shard] for shard, position in positions().items()):
        check(time.monotonic() < deadline, "nobody flushes")
        time.sleep(0.2)
    for shard, position in before.items():
        house.postgres.sql(f"update throng.watermark set position = {position} where shard = {shard}")


KINDS = [worker_killed, worker_frozen, coordinator_killed, all_killed, daemon_killed_with_worker]


def released(postgres, plan):
    """The day of the trial's events, released by hand: headers and digests, cells, and what is withheld."""
    code, _, said = daemon.run("release", "--ignore-grace", "--plan", plan, "--database", postgres.url)
    check(code == 0, "throng release ended with", code, said)
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
    code, out, said = daemon.run(
        "restore", file, "--data", house["a"].data, "--database", plain.url, "--database-only")
    check(code == 0, "throng restore ended with", code, out, said)
    house.postgres = plain
    behind = house.counted()
    for member in house.members.values():
        member.start()
    deadline = time.monotonic() + 120
    while house.counted() < total and time.monotonic() < deadline:
        time.sleep(0.1)
    say(f"a backup under load had {behind:,} of the events; daemons brought the others")
    return plain


def trials(options):
    house = fleet.Fleet(daemons.plan(), names="abc", postgres=Cluster)
    for name in "abc":
        house[name].start()
        if name != "a":
            house.join(name)
    say("three daemons count", {name[:8]: line["slots"] for name, line in house.listed().items()})
    doors = [("127.0.0.1", member.port) for member in house.members.values()]
    clients = daemons.Clients(
        lambda: doors, ROTATION, f"citus {options.seed}", devices=200, threads=12, at=time.time() - 86400)
    chance = random.Random(options.seed)
    tally = collections.Counter()
    # Those that joined count what opens from then on.
    time.sleep(7 + ROTATION - time.time() % ROTATION)
    with clients:
        for trial in range(options.trials):
            kind = chance.choice(KINDS)
            time.sleep(chance.uniform(0.5, 3))
            events = clients.events
            kind(house, chance)
            check(not clients.failure, clients.failure)
            tally[kind.__name__] += 1
            if options.verbose:
                say(f"{trial + 1:4} {kind.__name__}, {clients.events - events:,} events meanwhile")
        time.sleep(2)
        file = house.folder + "/backup"
        code, out, said = daemon.run("backup", "--data", house["a"].data, "--database", house.postgres.url, "--to", file)
        check(code == 0, "throng backup ended with", code, out, said)
        if options.control:
            set_back(house)
        time.sleep(2)
    found, lost, doubled, wrong = daemons.judge(house, clients)
    nodes = house.postgres.sql(
        "select nodeport, count(*), (select count(*) from throng.counter) from pg_dist_shard_placement group by 1 order by 1")
    say(f"{options.trials} trials: {dict(tally)}; sent again: {dict(clients.retries)}; parts by node: {nodes}")
    say(f"events acknowledged {clients.events:,}, never answered {sum(each[0] for each in clients.unsure)}, counted {found:,}: "
        f"lost {lost}, doubled {doubled}; identifiers {sum(map(len, clients.seen.values())):,}, "
        f"{f'wrong in {wrong}' if wrong else 'exact'}")
    if options.control:
        check(not lost and doubled, "what is flushed twice counts twice")
    else:
        check(not lost and not doubled and not wrong, "exact")
    for member in house.members.values():
        check(member.stop() == 0, "serve stops gracefully")
    cluster, total = house.postgres, found - doubled
    plain = restored(house, file, total)
    try:
        check(house.counted() == total, "a plain PostgreSQL has", house.counted(), "events, not", total)
        for member in house.members.values():
            check(member.stop() == 0, "serve stops gracefully")
        expected, found = released(plain, house["a"].plan), released(cluster, house["a"].plan)
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
    folder = tempfile.mkdtemp(prefix="tc-", dir="/tmp")
    os.chmod(folder, 0o755)
    nodes = Nodes(folder)
    try:
        ports = ",".join(str(nodes.ports[node]) for node in NODES)
        done = subprocess.run(
            ["Deploy/test", "--filter", options.suite], cwd=daemon.ROOT, stdin=subprocess.DEVNULL,
            env={**os.environ, "THRONG_TEST_CITUS": f"{nodes.folder}:{ports}",
                 # Each test makes a database on three nodes.
                 "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": "6"})
    finally:
        nodes.stop()
        shutil.rmtree(folder, ignore_errors=True)
    check(done.returncode == 0, "tests failed")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trials", nargs="?", type=int, default=30)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--control", action="store_true")
    parser.add_argument("--suite", nargs="?", const="^ThrongStoreTests", metavar="FILTER")
    options = parser.parse_args()
    daemon.main(lambda: suite(options) if options.suite else trials(options))


if __name__ == "__main__":
    main()
