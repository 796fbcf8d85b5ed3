"""Three nodes of PostgreSQL under Patroni, each with its etcd, in networks of their own; by the files of Deploy/patroni.

Every node has a network namespace with the address that its file names, on a bridge that ends at 10.0.0.1, where the daemon is. All of
that, and every process, belongs to namespaces of this program's and goes with it."""

import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request

import daemon
from daemon import ROOT, Failure, check

FILES = os.path.join(ROOT, "Deploy", "patroni")
NAMES = ["pg1", "pg2", "pg3"]
ADDRESSES = {name: f"10.0.0.1{place + 1}" for place, name in enumerate(NAMES)}
AS_POSTGRES = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--"]


def run(*words, **how):
    return daemon.ran(*words, stdin=subprocess.DEVNULL, **{"timeout": 60, **how}).stdout


def until(what, holds, seconds=120, pause=0.1):
    """Waits for a condition; what it took. Unit: seconds."""
    begun = time.monotonic()
    daemon.until(holds, what, "did not happen within", seconds, "seconds", seconds=seconds, pause=pause)
    return time.monotonic() - begun


def outside():
    """A network and processes of this program's own: what runs in them ends with it."""
    run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", "/run/netns")
    run("ip", "link", "set", "lo", "up")
    run("ip", "link", "add", "nodes", "type", "bridge")
    run("ip", "address", "add", "10.0.0.1/24", "dev", "nodes")
    run("ip", "link", "set", "nodes", "up")
    for name in NAMES:
        run("ip", "netns", "add", name)
        run("ip", "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name)
        run("ip", "link", "set", name, "master", "nodes", "up")
        for words in (["link", "set", "lo", "up"], ["address", "add", ADDRESSES[name] + "/24", "dev", "eth0"],
                      ["link", "set", "eth0", "up"]):
            run("ip", "-n", name, *words)


class Node:
    """One machine: etcd, Patroni and PostgreSQL."""

    def __init__(self, ensemble, name):
        self.ensemble, self.name, self.address = ensemble, name, ADDRESSES[name]
        self.folder = os.path.join(ensemble.folder, name)
        self.data = os.path.join(self.folder, "data")
        self.config = os.path.join(self.folder, "patroni.yml")
        self.children = []
        for folder in (self.folder, os.path.join(self.folder, "tls")):
            os.mkdir(folder, 0o700)
        self.write()
        ensemble.certificate(os.path.join(self.folder, "tls"), "node", name, self.address)
        self.own(self.folder)

    def write(self):
        """The operator's files, with this node's name, address and folders instead of the first one's."""
        places = {
            "name: pg1 ": f"name: {self.name} ", "/var/lib/postgresql/15/throng": self.data, "/etc/patroni": self.folder,
            "/var/run/postgresql": self.folder, "/var/lib/postgresql/.pgpass": self.folder + "/.pgpass"}
        text = daemon.read(FILES, "patroni.yml")
        text = re.sub(r"((?:listen|connect_address): )10\.0\.0\.11", rf"\g<1>{self.address}", text)
        for former, new in places.items():
            check(former in text, "Deploy/patroni/patroni.yml has no", former)
            text = text.replace(former, new)
        if self.ensemble.is_asynchronous:
            text = text.replace("synchronous_mode: true", "synchronous_mode: false").replace(
                "synchronous_mode_strict: true", "synchronous_mode_strict: false")
        daemon.write(self.config, text, 0o600)
        lines = [line.strip().split("=", 1) for line in daemon.read(FILES, "etcd.env").splitlines() if "=" in line and line[0] != "#"]
        self.etcd = {key: value.replace("10.0.0.11", self.address) if key.endswith("URLS") else value for key, value in lines}
        self.etcd.update(ETCD_NAME=self.name, ETCD_DATA_DIR=os.path.join(self.folder, "etcd"))

    def own(self, folder):
        for where, _, names in os.walk(folder):
            for path in [where, *(os.path.join(where, each) for each in names)]:
                shutil.chown(path, "postgres", "postgres")

    # Processes

    def launch(self, name, *words, **variables):
        with open(os.path.join(self.folder, name + ".log"), "ab") as log:
            self.children.append(subprocess.Popen(
                ["ip", "netns", "exec", self.name, *AS_POSTGRES, *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                cwd="/", env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "HOME": self.folder, **variables}))

    def start(self):
        # Those that have ended are taken off.
        self.children = [child for child in self.children if child.poll() is None]
        running = self.kinds()
        if not running["etcd"]:
            self.launch("etcd", "etcd", **self.etcd)
        if not running["patroni"]:
            self.launch("patroni", "/usr/bin/patroni", self.config)

    def kinds(self):
        """Ids by what they belong to: etcd, patroni or postgres."""
        found = {"etcd": [], "patroni": [], "postgres": []}
        for pid in run("ip", "netns", "pids", self.name).split():
            try:
                command = daemon.read(f"/proc/{pid}/cmdline").replace("\0", " ")
                name, rest = daemon.read(f"/proc/{pid}/stat").split("(", 1)[1].rsplit(")", 1)
            except OSError:
                continue
            if rest.split()[0] == "Z":
                continue
            found[name if name in ("etcd", "postgres") else "patroni"].append((int(pid), command))
        return found

    def signal(self, number, *kinds):
        """To all processes of these kinds; how many."""
        count = 0
        for kind in kinds:
            for pid, _ in self.kinds()[kind]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
                    count += 1
        return count

    def kill(self, *kinds):
        """kill -9, until none is left: what is started in that moment is killed, too."""
        until(f"the end of {self.name}", lambda: self.signal(signal.SIGKILL, *kinds) == 0, 30, pause=0.02)

    def receivers(self, number):
        """To the processes that take what the leader sends."""
        for pid, command in self.kinds()["postgres"]:
            if "walreceiver" in command:
                os.kill(pid, number)

    # Its network

    def cut(self, addresses):
        """Neither hears the other from now on."""
        for address in addresses:
            run("ip", "netns", "exec", self.name, "iptables", "-A", "INPUT", "-s", address, "-j", "DROP")
            run("ip", "netns", "exec", self.name, "iptables", "-A", "OUTPUT", "-d", address, "-j", "DROP")

    def heal(self):
        run("ip", "netns", "exec", self.name, "iptables", "-F")

    # PostgreSQL

    def sql(self, query, database="postgres"):
        return run(*AS_POSTGRES, "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-U", "postgres",
                   "-d", database, "-c", query, cwd="/").strip()


class Ensemble:
    """The three, as a PostgreSQL of which houses get databases. It is what the fault suite's houses expect of one."""

    def __init__(self, is_asynchronous=False, is_proxied=False):
        self.is_asynchronous, self.is_proxied = is_asynchronous, is_proxied
        self.folder = tempfile.mkdtemp(prefix="throng-patroni-", dir="/tmp")
        os.chmod(self.folder, 0o755)
        daemon.atexit.register(self.clean)
        self.make_authority()
        self.certificate(self.folder, "owner", "throng_owner")
        self.nodes = {name: Node(self, name) for name in NAMES}
        if is_proxied:
            self.proxy = subprocess.Popen(["haproxy", "-f", os.path.join(FILES, "haproxy.cfg"), "-db"], stdin=subprocess.DEVNULL)

    def start(self):
        for node in self.nodes.values():
            node.start()
        until("a whole cluster", self.is_whole, 240, pause=0.5)
        self.admin("create role throng_owner login createrole")

    # Certificates

    def openssl(self, *words):
        run("openssl", *words, cwd=self.folder)

    def make_authority(self):
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
                     "-subj", "/CN=nodes", "-keyout", "ca.key", "-out", "ca.crt")

    def certificate(self, folder, file, name, address=None):
        path = os.path.join(folder, file)
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
                     *(["-addext", f"subjectAltName=IP:{address}"] if address else []), "-keyout", path + ".key", "-out", path + ".csr")
        self.openssl("x509", "-req", "-days", "30", "-in", path + ".csr", "-CA", "ca.crt", "-CAkey", "ca.key",
                     "-CAcreateserial", "-copy_extensions", "copy", "-out", path + ".crt")
        os.chmod(path + ".key", 0o600)
        if folder != self.folder:
            shutil.copy(os.path.join(self.folder, "ca.crt"), folder)

    # What houses ask

    def at(self, database="throng"):
        where = f"host={','.join(ADDRESSES.values())} sslmode=verify-full target_session_attrs=read-write connect_timeout=2"
        if self.is_proxied:
            # The certificate is the node's, whose address the proxy stands for.
            where = "host=127.0.0.1 port=5000 sslmode=verify-ca connect_timeout=2"
        return (f"{where} dbname={database} user=throng_owner sslrootcert={self.folder}/ca.crt "
                f"sslcert={self.folder}/owner.crt sslkey={self.folder}/owner.key")

    def house(self):
        """A fresh database; the file lets the daemon into one of that name only."""
        self.admin("drop database if exists throng with (force)")
        self.admin("create database throng owner throng_owner")
        # libpq takes a replica that does not know the database yet for an answer, and asks no other server.
        made = "select oid from pg_database where datname = 'throng'"
        until("a database everywhere", lambda: len({node.sql(made) for node in self.nodes.values()}) == 1)
        daemon.ran(daemon.BINARY, "database", "--migrate", "--database", self.at())
        return "throng"

    def sql(self, query, database):
        if database == "postgres":
            return self.admin(query)
        text = run("psql", "-X", "-q", "-A", "-t", "-F", "\x1f", "-v", "ON_ERROR_STOP=1", "-d", self.at(database), "-c", query, timeout=300)
        return [line.split("\x1f") for line in text.split("\n") if line]

    def admin(self, query):
        return self.leader().sql(query)

    # How it stands

    def views(self):
        """What each node that answers says of all: by name role, state, timeline, lag. One that was away may say what was."""
        found = []
        for address in ADDRESSES.values():
            try:
                with urllib.request.urlopen(f"http://{address}:8008/cluster", timeout=2) as answer:
                    found.append({member["name"]: member for member in json.load(answer)["members"]})
            except (OSError, http.client.HTTPException, ValueError):
                continue
        return found

    def members(self):
        """What two of three say; nothing while they don't agree who leads."""
        views = {}
        for view in self.views():
            leaders = [name for name, member in view.items() if member["role"] == "leader" and member["state"] == "running"]
            if leaders in views.values():
                return view
            views[len(views)] = leaders
        return {}

    def leader(self):
        found = []

        def look():
            found[:] = [name for name, member in self.members().items() if member["role"] == "leader"]
            return found
        until("a leader", look, pause=0.3)
        return self.nodes[found[0]]

    def synchronous(self):
        """The replica that commits wait for; any in asynchronous mode."""
        replicas = [(member["role"], name) for name, member in self.members().items() if member["role"] != "leader"]
        return self.nodes[min(replicas, key=lambda each: each[0] != "sync_standby")[1]]

    def is_whole(self):
        """Three that run and say so alike, on one timeline, the replicas right behind the leader, one of them synchronous."""
        views = self.views()
        if len(views) < len(NAMES) or len({json.dumps({name: each["role"] for name, each in view.items()}, sort_keys=True)
                                           for view in views}) > 1:
            return False
        members = views[0].values()
        return (sorted(member["role"] for member in members) == ["leader", "replica", "replica" if self.is_asynchronous else "sync_standby"]
                and len({member.get("timeline") for member in members}) == 1
                and all(member["state"] in ("running", "streaming") and member.get("lag", 0) == 0 for member in members))

    def switch_over(self, leader, candidate):
        run("patronictl", "-c", leader.config, "switchover", "throng", "--master", leader.name, "--candidate", candidate.name,
            "--force", timeout=120)

    def words(self):
        """The ends of the logs, for who looks why something did not happen."""
        lines = [json.dumps(self.members())]
        for node in self.nodes.values():
            lines.append(f"{node.name}:\n" + daemon.read_bytes(node.folder, "patroni.log").decode(errors="replace")[-1500:])
        return "\n".join(lines)

    def clean(self):
        with contextlib.suppress(Failure):
            for node in self.nodes.values():
                node.kill("patroni", "postgres", "etcd")
        if os.environ.get("THRONG_TEST_KEEP"):
            daemon.say("kept", self.folder)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)
