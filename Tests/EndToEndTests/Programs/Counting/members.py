"""Several daemons count into one PostgreSQL, behind nothing that knows who counts whom: each hands on what is another's. One joins,
one is killed, one is lost: totals and devices are exact, or stay below the truth where a data directory went."""

import calendar
import json
import time

import daemon
import fleet
import shop
from daemon import check, say, until

ROTATION = 60


def plan():
    return shop.plan().replace(daemon.duration(shop.ROTATION), daemon.duration(ROTATION))


def agreed(house, clients):
    """What PostgreSQL has is what clients were told; of what nobody was told before its window was over, all, some or nothing."""
    house.drain([name for name, member in house.members.items() if member.process.poll() is None])
    found, most = house.counted(), clients.events + sum(count for count, _, _ in clients.unsure)
    check(clients.events <= found <= most, "events:", found, "of", clients.events, "to", most)
    found, known = house.devices(), clients.possible()
    for window in {*found, *known}:
        count, least, most = found.get(window, 0), len(clients.seen.get(window, ())), len(known.get(window, ()))
        check(least <= count <= most, "devices of window", window, count, "of", least, "to", most)


def boundary():
    time.sleep(ROTATION - time.time() % ROTATION + 0.2)


def only_members(member):
    """Where daemons hand on nobody else is answered, whatever they say of themselves."""
    body = json.dumps(shop.batch("a client", window=int(time.time()) // ROTATION))
    answers = {
        (path, status, json.loads(text).get("error")) for mark in ({}, {"throng-member": "00" * 32 + " - 0"}, {"throng-member": " - 0"})
        for path in ("/v1/batches", "/v1/ohttp", "/v1/withdraw", "/v1/preview")
        for status, _, text in [member.post(body, mark, path=path, port=member.member_port)]}
    check({answer[1:] for answer in answers} == {(421, "members_only")}, "only daemons hand on:", answers)
    check(member.get("/v1/plan/shop", port=member.member_port)[0] == 421, "only daemons ask")
    check(member.get("/readyz", port=member.member_port)[0] == 200, "everybody may ask whether it answers")


class Apart(fleet.Member):
    """One that others do not reach."""

    def arguments(self):
        words = super().arguments()
        return words[:words.index("--members")]


def turned_away(member):
    """Nothing is counted before PostgreSQL has said whose it is."""
    status, _, text = member.post(json.dumps(shop.batch("nobody", window=int(time.time()) // ROTATION)))
    check((status, json.loads(text).get("error")) == (503, "changing"), "nothing is counted yet:", status, text)


def new_apart(house):
    """A new data directory, started where it does not reach the PostgreSQL in which others may count already."""
    new = Apart(house, "new")
    new.database = house.folder
    new.start()
    turned_away(new)
    new.kill()
    new.clean()


def restart(member, database=None):
    """Starts a daemon that has ended, where it reaches PostgreSQL, or in a folder where there is none."""
    if member.process.poll() is None:
        member.kill()
    member.database = database
    member.start()


def first_alone(house):
    """The only one is stopped in order, and back where it does not reach PostgreSQL: as it was alone it counts on, as one that was
    killed does. What it counted; it is in its journal."""
    first = house["a"]
    bodies = []

    def acknowledged(seconds=10):
        body = shop.batch(f"first {len(bodies)}", window=int(time.time()) // ROTATION)
        begun = time.monotonic()
        while True:
            status, _, text = first.post(json.dumps(body))
            if status == 202:
                bodies.append(body)
                return time.monotonic() - begun
            check(status == 503 and time.monotonic() - begun < seconds, "who was alone counts on:", status, text)
            time.sleep(0.05)

    for number in range(3):
        check(first.stop() == 0, "a stops")
        restart(first, house.folder)
        took = acknowledged()
        say(f"alone, stopped in order and started without PostgreSQL, it acknowledges after {took:.1f} s")
        for _ in range(4):
            acknowledged()
        if number == 1:
            # Stopped once more before PostgreSQL is back, and killed.
            continue
        restart(first, house.folder)
        acknowledged()
        restart(first)
        house.drain(["a"])
        check(house.counted() == len(bodies), "each is counted once:", house.counted(), "of", len(bodies))
    return bodies


def alone(house, clients):
    """b is back where it does not reach PostgreSQL, which others do: no release waits for who has stopped, so it must not count; who
    was killed counts on."""
    def answers():
        found = set()
        for number in range(20):
            body = shop.batch(f"alone {number}", window=int(time.time()) // ROTATION)
            status, _, text = house["b"].post(json.dumps(body))
            found.add((status, json.loads(text).get("error")))
            if status == 202:
                clients.events += 1
                clients.seen[body["window"]].add(body["id"])
        return found

    check(house["b"].stop() == 0, "b stops")
    restart(house["b"], house.folder)
    found = answers()
    check(found == {(503, "changing")}, "who has stopped counts nothing before PostgreSQL knows that it is back:", found)
    restart(house["b"])
    until(lambda: answers() == {(202, None)}, "once PostgreSQL knows that it is back it counts", pause=1)
    restart(house["b"], house.folder)
    found = answers()
    check(found == {(202, None)}, "who was killed counts on, and a release waits for it:", found)
    restart(house["b"])
    agreed(house, clients)
    say("who stopped waits for PostgreSQL, who was killed does not")


def test():
    house = fleet.Fleet(plan(), names="ab")
    house["a"].start()
    new_apart(house)
    bodies = first_alone(house)
    house["b"].start()
    listed = house.listed()
    check([listed[house[name].id]["slots"] for name in "ab"] == [256, 0], "the first counts everything:", listed)
    doors = {name: ("127.0.0.1", house[name].port) for name in "ab"}
    clients = fleet.Clients(lambda: [doors[name] for name in doors], ROTATION, "members")
    for body in bodies:
        clients.events += 1
        clients.seen.setdefault(body["window"], set()).add(body["id"])
    with clients:
        time.sleep(3)
        check(clients.batches > 0, "who joined nothing hands on")
        said = house.daemon("join", "b" * 8, ends=64)
        check("No daemon's name begins with" in said, "an unknown one is refused:", said)
        begins = house.join("b")
        listed = house.listed()
        check([listed[house[name].id]["slots"] for name in "ab"] == [128, 128], "both count half:", listed)
        # Once the epoch has begun, and a window after it is opened to clients.
        time.sleep(max(0, begins - time.time()))
        boundary()
        time.sleep(4)
        only_members(house["b"])
        say(f"b has joined after {clients.batches:,} batches")
        house["b"].kill()
        time.sleep(1)
        house["b"].start()
        time.sleep(3)
        say(f"b was killed and is back; turned away and sent again: {dict(clients.retries)}")
        # As a backup from before would be: whoever knows better says so, running or at its start.
        for isRunning in (True, False):
            if not isRunning:
                check(house["a"].stop() == 0 and house["b"].stop() == 0, "serve stops gracefully")
            house.postgres.sql("delete from throng.epoch where epoch > 1")
            if not isRunning:
                house["a"].start()
                house["b"].start()
            until(lambda: [house.listed()[house[name].id]["slots"] for name in "ab"] == [128, 128], "PostgreSQL is not told who counts")
            time.sleep(2)
        say("PostgreSQL was set back twice and told who counts")
        # Nobody agrees while one stands still: nothing changes, and everything goes on.
        house["b"].freeze()
        said = house.daemon("leave", house["b"].id, "--within", "5", ends=2)
        check(f"{house['b'].id} did not agree" in said, "who did not agree is named:", said)
        house["b"].thaw()
    agreed(house, clients)
    alone(house, clients)
    both = [int(row[0]) for row in house.postgres.sql("select count(*) from throng.counter group by shard order by shard")]
    check(len(both) == 2 and min(both) > 0, "each counts in its own shard:", both)
    say(f"{clients.events:,} events and {sum(map(len, clients.seen.values())):,} identifiers, exactly")

    # One goes for good, with its data.
    before, truth = house.counted(), clients.possible()
    killed = time.time()
    house["b"].kill()
    lost = house["b"].id
    del doors["b"]
    said = house.daemon("leave", lost, "--successor", lost, ends=64)
    check("--data-is-lost" in said, "what is lost has to be said:", said)
    said = house.daemon("leave", lost, "--data-is-lost")
    since = house.listed()[lost]["lostSince"]
    check(f"acknowledged since {since} may be lost" in said, "it says what may be lost:", said)
    check(killed - 120 <= calendar.timegm(time.strptime(since, "%Y-%m-%dT%H:%M:%SZ")) <= killed, "since when:", since, killed)
    later = fleet.Clients(lambda: list(doors.values()), ROTATION, "later")
    with later:
        time.sleep(4)
    house.drain("a")
    found, most = house.counted() - before, later.events + sum(count for count, _, _ in later.unsure)
    check(later.events <= found <= most, "events after it was lost:", found, "of", later.events, "to", most)
    for window, who in later.possible().items():
        truth[window] = truth.get(window, set()) | who
    for window, found in house.devices().items():
        opened = window % 2**40
        check(found <= len(truth[opened]), "no more devices than there are in", window, found, len(truth[opened]))
    taken = [window for window in house.devices() if window >= 2**40]
    check(taken, "what others count of it in windows under way are windows of their own")
    try:
        house["b"].start()
    except daemon.Failure as failure:
        check(f"daemon {lost} was retired" in str(failure), "who was retired is told so:", str(failure)[-500:])
    else:
        check(False, "who was retired does not start")
    say(f"b was lost: {later.events:,} events more, and no device that is none")
    check(house["a"].stop() == 0, "serve stops gracefully")
