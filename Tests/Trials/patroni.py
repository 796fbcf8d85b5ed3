"""PostgreSQL fails over, as Deploy/patroni sets it up, under a daemon that is posted to all the while.

After each trial nothing may be lost, nothing doubled, devices are exact, no client was turned away, and flushing went on again
within 30 seconds. Prints a line a trial and a table in the end."""

import argparse
import collections
import contextlib
import dataclasses
import os
import random
import signal
import statistics
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../Faults"))

# First: the programs, which it makes known, have another of this name.
from oracle import Tally, judge  # noqa: E402
from clients import Crowd  # noqa: E402
from house import House, check, say  # noqa: E402
import ensemble  # noqa: E402
from ensemble import NAMES, ADDRESSES, Ensemble, until  # noqa: E402

# How long flushing may stand still. Unit: seconds.
LIMIT = 30
# The lock of a leader, as Deploy/patroni/patroni.yml has it. Unit: seconds.
TTL = 20
# Trials that share a daemon and a database, so that flushes meet what earlier failovers left.
TRIALS_OF_A_HOUSE = 4


class Pulse:
    """When flushes were applied, as the daemon's metrics tell."""

    def __init__(self, house):
        self.house, self.times, self.count, self.isOver = house, [], None, False
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        while not self.isOver:
            try:
                found = self.house.metrics().get("throng_flushes_total", 0)
            except OSError:
                found = self.count
            if self.count is not None and found > self.count:
                self.times.append(time.monotonic())
            self.count = found
            time.sleep(0.05)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.isOver = True
        self.thread.join()

    def since(self, begun):
        return [each for each in self.times if each >= begun]

    def longest(self, begun):
        """Between two flushes, from the last before a moment on. Unit: seconds."""
        before = [each for each in self.times if each < begun][-1:]
        times = before + self.since(begun)
        return max((later - earlier for earlier, later in zip(times, times[1:])), default=0)


# What is done; each returns once all is to become well again by itself. `nodes` is the ensemble.

def postgres_killed(nodes, chance, goes_on):
    """kill -9 of the leader's PostgreSQL. Patroni starts it again, or another one takes over."""
    nodes.leader().kill("postgres")


def leader_killed(nodes, chance, goes_on):
    """kill -9 of the leader's PostgreSQL and Patroni, as when the machine goes; it is back after a while."""
    leader = nodes.leader()
    leader.kill("patroni", "postgres", *(["etcd"] if chance.random() < 0.5 else []))
    goes_on()
    time.sleep(chance.uniform(0, 10))
    leader.start()


def frozen(node, chance, kinds, least, most):
    node.signal(signal.SIGSTOP, *kinds)
    time.sleep(TTL + chance.uniform(least, most))
    node.signal(signal.SIGCONT, *kinds)


def leader_frozen(nodes, chance, goes_on):
    """The leader's machine stands still for longer than its lock lasts, then goes on where it was."""
    frozen(nodes.leader(), chance, ["patroni", "postgres", *(["etcd"] if chance.random() < 0.5 else [])], 4, 25)


def postgres_hung(nodes, chance, goes_on):
    """The leader's PostgreSQL alone stands still: its Patroni lives."""
    frozen(nodes.leader(), chance, ["postgres"], 8, 25)


def switched_over(nodes, chance, goes_on):
    """patronictl switchover, to the synchronous replica."""
    nodes.switch_over(nodes.leader(), nodes.synchronous())


def replica_killed(nodes, chance, goes_on):
    """kill -9 of all of the replica that commits wait for."""
    replica = nodes.synchronous()
    replica.kill("patroni", "postgres", "etcd")
    time.sleep(chance.uniform(5, 25))
    replica.start()


def replica_frozen(nodes, chance, goes_on):
    """The replica that commits wait for stands still."""
    frozen(nodes.synchronous(), chance, ["patroni", "postgres"], 0, 15)


def etcd_killed(nodes, chance, goes_on):
    """kill -9 of all three etcds, which are away for longer than the lock lasts."""
    for node in nodes.nodes.values():
        node.kill("etcd")
    time.sleep(TTL + chance.uniform(0, 15))
    for node in nodes.nodes.values():
        node.start()


def cut_off(nodes, chance, addresses):
    leader = nodes.leader()
    leader.cut([*addresses, *(ADDRESSES[name] for name in NAMES if name != leader.name)])
    time.sleep(TTL + chance.uniform(8, 20))
    leader.heal()


def leader_cut_off(nodes, chance, goes_on):
    """The leader and the other nodes don't hear each other; the daemon hears them all."""
    cut_off(nodes, chance, [])


def leader_unplugged(nodes, chance, goes_on):
    """Nobody hears the leader any more, the daemon neither; no connection is closed."""
    cut_off(nodes, chance, ["10.0.0.1"])


def leader_deaf(nodes, chance, goes_on):
    """The same, and the leader does not hear itself: its Patroni hangs in the middle of what it does, and goes on there."""
    cut_off(nodes, chance, ["10.0.0.0/24"])


@contextlib.contextmanager
def ahead(nodes):
    leader = nodes.leader()
    others = [node for node in nodes.nodes.values() if node is not leader]
    for node in others:
        node.receivers(signal.SIGSTOP)
    yield leader
    leader.kill("patroni", "postgres")
    for node in others:
        node.receivers(signal.SIGCONT)


def leader_ahead(nodes, chance, goes_on):
    """Replicas take nothing for a while, then the leader is killed: what it committed meanwhile is nowhere else."""
    with ahead(nodes) as leader:
        # Less than it takes the leader to let go of them.
        time.sleep(chance.uniform(2, 3.5))
    goes_on()
    time.sleep(chance.uniform(0, 10))
    leader.start()


def wait_cancelled(nodes, chance, goes_on):
    """The same, and meanwhile somebody ends each commit's wait for the replica: PostgreSQL calls committed what dies with it."""
    with ahead(nodes) as leader:
        end = time.monotonic() + 3.5
        while time.monotonic() < end:
            leader.sql("select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'")
    goes_on()
    leader.start()


KINDS = [postgres_killed, leader_killed, leader_frozen, switched_over, leader_cut_off, replica_killed, postgres_hung, etcd_killed,
         leader_unplugged, replica_frozen, leader_deaf, leader_ahead, wait_cancelled]


@dataclasses.dataclass
class Outcome:
    kind: str
    still: float
    back: float
    lost: int
    doubled: int
    unexplained: int
    refused: int
    set_backs: int
    leaders: str
    words: list

    @property
    def holds(self):
        return not self.words and not (self.lost or self.doubled or self.unexplained or self.refused) and self.still <= LIMIT


class Trials:
    """A daemon, its clients and three nodes, through one failure after the other."""

    def __init__(self, nodes, chance):
        self.nodes, self.chance, self.tally, self.house, self.crowd = nodes, chance, Tally(), None, None
        self.made = 0

    def move_in(self):
        """A fresh database and a fresh daemon, now and then."""
        if self.house and (self.made % TRIALS_OF_A_HOUSE or not self.crowd.has_room) == 0 or not self.house:
            self.leave()
            self.house = House(self.nodes)
            self.crowd = Crowd(self.house, self.chance)
            self.house.restart()

    def leave(self):
        if self.house:
            check(self.house.stop() == 0, "SIGTERM ended with", self.house.process.returncode, self.house.log_text()[-3000:])
            check(not any(judge(self.crowd, self.tally)), "after a stop something else is counted")
            self.house.clean()
            ensemble.daemon.atexit.unregister(self.house.clean)
            self.house = None

    def set_backs(self):
        return int(self.house.metrics().get("throng_database_set_backs_total", 0))

    def critical(self):
        return [line for line in self.house.log_text().split("\n") if " critical " in line]

    def trial(self, kind):
        self.move_in()
        self.made += 1
        nodes, house, crowd = self.nodes, self.house, self.crowd
        former, set_backs, refused = nodes.leader().name, self.set_backs(), crowd.answers[503]
        said = len(self.critical())
        tally_words = len(self.tally.words)
        with Pulse(house) as pulse:
            crowd.start(clients=2, pause=0.15)
            until("two flushes", lambda: len(pulse.times) > 1, 60)
            time.sleep(self.chance.uniform(0, 2))
            begun = time.monotonic()

            def goes_on():
                called = time.monotonic()
                until("flushes", lambda: len(pulse.since(called + 1)) > 1, 180)
            kind(nodes, self.chance, goes_on)
            healed = time.monotonic()
            goes_on()
            back = until("a whole cluster", nodes.is_whole, 240, pause=0.5) + time.monotonic() - healed
            until("flushes", lambda: len(pulse.since(time.monotonic() - 3)) > 0, 20)
            crowd.stop()
            still = pulse.longest(begun)
        crowd.retry(share=1)
        house.drain(180)
        found = judge(crowd, self.tally)
        self.tally.trials += 1
        words = self.tally.words[tally_words:] + self.critical()[said:]
        return Outcome(kind.__name__, round(still, 1), round(back, 1), *found, crowd.answers[503] - refused,
                       self.set_backs() - set_backs, f"{former} > {nodes.leader().name}", words)


def table(outcomes, tally, arguments):
    by_kind = collections.defaultdict(list)
    for outcome in outcomes:
        by_kind[outcome.kind].append(outcome)
    print(f"\n{'kind':22} trials  still: median  most  lost  doubled  unexplained  refused  set back")
    for kind, each in [*sorted(by_kind.items()), ("all", outcomes)]:
        still = [outcome.still for outcome in each]
        print(f"{kind:22} {len(each):6}  {statistics.median(still):13.1f} {max(still):5}  {sum(o.lost for o in each):4}"
              f"  {sum(o.doubled for o in each):7}  {sum(o.unexplained for o in each):11}  {sum(o.refused for o in each):7}"
              f"  {sum(o.set_backs for o in each):8}")
    print(f"{tally.acknowledged:,} events acknowledged; seed {arguments.seed}; "
          f"{'asynchronous' if arguments.asynchronous else 'strictly synchronous'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("count", nargs="?", type=int, default=50, help="trials")
    parser.add_argument("seed", nargs="?", type=int, default=int(time.time()), help="of everything that is chosen by chance")
    parser.add_argument("--asynchronous", action="store_true", help="kept flushes heal what a failover loses")
    parser.add_argument("--haproxy", action="store_true", help="the daemon comes by haproxy")
    parser.add_argument("--kinds", help="only these, with commas")
    parser.add_argument("--list", action="store_true", help="only name the kinds")
    arguments = parser.parse_args()
    if arguments.list:
        for kind in KINDS:
            print(f"{kind.__name__:22} {kind.__doc__.splitlines()[0]}")
        return 0
    kinds = [kind for kind in KINDS if not arguments.kinds or kind.__name__ in arguments.kinds.split(",")]
    chance = random.Random(f"{arguments.seed} patroni")
    ensemble.outside()
    nodes = Ensemble(arguments.asynchronous, arguments.haproxy)
    nodes.start()
    say(f"three nodes run; {arguments.count} trials, seed {arguments.seed}")
    trials, outcomes, left = Trials(nodes, chance), [], []
    for number in range(arguments.count):
        if not left:
            left = list(kinds)
            chance.shuffle(left)
        kind = left.pop()
        try:
            outcome = trials.trial(kind)
        except Exception:
            say("trial", number + 1, kind.__name__, "did not come to its end\n" + nodes.words())
            if trials.house:
                trials.crowd.is_stopping = True
                say("the daemon:\n" + trials.house.log_text()[-3000:])
            raise
        outcomes.append(outcome)
        say(f"{number + 1:3} {outcome.kind:22} {outcome.leaders}  still {outcome.still:5} s, all back {outcome.back:5} s,",
            f"lost {outcome.lost}, doubled {outcome.doubled}, unexplained {outcome.unexplained}, refused {outcome.refused},",
            f"set back {outcome.set_backs}{'' if outcome.holds else '  FAILED'}", *outcome.words)
    trials.leave()
    table(outcomes, trials.tally, arguments)
    return 0 if outcomes and all(outcome.holds for outcome in outcomes) else 1


# Set once this program has networks and processes of its own.
OWN = "THRONG_TRIAL_OWN"


def alone():
    """Goes on with networks, processes and mounts of its own. The first process there is a shell, which takes those in whose
    parent has died."""
    if OWN in os.environ:
        return
    if os.getuid() != 0:
        sys.exit("Networks of one's own need root.")
    os.environ[OWN] = "yes"
    shell = ["sh", "-c", '"$@"; exit $?', "sh"]
    done = subprocess.run(["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", *shell,
                           sys.executable, *sys.argv])
    sys.exit(done.returncode)


if __name__ == "__main__":
    alone()
    sys.exit(main())
