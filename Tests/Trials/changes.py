"""What operators do to several daemons of one PostgreSQL while clients send: a fourth joins, one leaves, all are upgraded one by one
and back; and a release by hand while one stands still. The program members has one that is lost."""

import json
import os
import random
import time

import daemons
from daemons import ROTATION, check, daemon, fleet, say, shop


def boundary():
    """Until a window has begun that was opened to clients after now."""
    time.sleep(2 * ROTATION - time.time() % ROTATION + 1)


def three(**settings):
    """A fleet of three daemons that count a third each, also what is open now."""
    house = fleet.Fleet(daemons.plan(), names="abc")
    for member in house.members.values():
        member.settings.update(settings)
    daemons.joined(house)
    boundary()
    return house


def changed(options, chance):
    """A fourth joins, one leaves, all are upgraded one by one, and back."""
    house = three()
    clients = daemons.Clients(
        lambda: [("127.0.0.1", house[name].port) for name in house.members], ROTATION, f"changes {options.seed}", devices=200, threads=12)
    with clients:
        time.sleep(3)
        house.add("d")
        house.join("d", within=10)
        time.sleep(10)
        boundary()
        check(house.listed()[house["d"].id]["slots"] == 64, "four count a quarter each:", house.listed())
        gone = chance.choice("abc")
        house.daemon("leave", house[gone].id, "--within", "10")
        time.sleep(10)
        boundary()
        time.sleep(2 * ROTATION)
        check(house.listed()[house[gone].id]["slots"] == 0, gone, "counts no more:", house.listed())
        left = house.members.pop(gone)
        check(left.stop() == 0, "who has left stops gracefully")
        upgraded(house, options, chance)
    found, lost, doubled, wrong = daemons.judge(house, clients)
    say(f"  d joined, {gone} left, the others were upgraded one by one, and back: acknowledged {clients.events:,}, never answered "
        f"{len(clients.unsure)}, counted {found:,}; sent again: {dict(clients.retries)}")
    check(not lost and not doubled and not wrong, "lost", lost, "doubled", doubled, "wrong", wrong)
    left.clean()
    house.clean()


def upgraded(house, options, chance):
    """One by one, and back: the newer one migrates the database, and the older one goes on with it."""
    for program, fault in options.versions:
        daemon.BINARY = program
        for name in house.members:
            check(house[name].stop() == 0, "serve stops gracefully")
            house[name].settings.pop("THRONG_FAULT", None)
            if fault:
                house[name].settings["THRONG_FAULT"] = fault
            house[name].start()
            time.sleep(chance.uniform(0, 5))
        schema = house.postgres.sql("select version, name from throng.migration order by version desc limit 1")[0]
        check(options.former or schema[1] == "tomorrow.sql", "the database is the next version's:", schema)
        say(f"  all run {os.path.basename(program)}{' with ' + fault if fault else ''}, the schema is {schema[0]}")


def waited_for(options, chance):
    """One of three stands still while a day is released by hand: nothing of it is there, and it is named; then all of it is there. The
    control releases without it, and lacks what it had acknowledged."""
    house = three(THRONG_FLUSH_SECONDS="60")
    devices, at = 90, time.strftime("%Y-%m-%dT12:00:00Z", time.gmtime(time.time() - 86400))
    for number in range(devices):
        body = json.dumps({**shop.batch(f"device {number}", events=[{"event": "view", "at": at, "fields": {"channel": "email"}}]),
                           "window": int(time.time()) // ROTATION})
        while (answer := house["c" if number >= devices - 20 else chance.choice("abc")].post(body))[0] == 503:
            time.sleep(0.1)
        check(answer[0] == 202 and json.loads(answer[2])["accepted"] == 1, "posted:", answer)
    house["c"].freeze()
    where = ["--plan", house["a"].plan, "--data", house["a"].data, "--database", house.postgres.url]

    def released():
        return [[int(value) for value in row] for row in house.postgres.sql(
            "select c.count, c.reach from throng.released_cell as c join throng.release as r using (release_id)"
            f" where r.metric = 'views' and c.margin = 0 and r.period_start = '{at[:10]} 00:00:00+00'")]

    code, _, talk = daemon.run("release", "--ignore-grace", *where)
    check(code == 1 and house["c"].id in talk, "it says for whom it waits:", code, talk)
    check(not house.postgres.sql("select 1 from throng.release where metric = 'views'"), "never half:", released())
    if options.control:
        code, _, talk = daemon.run("release", "--ignore-grace", "--without", house["c"].id, *where)
        check(code == 0 and released() and released()[0][0] < devices, "a release of half of it is not seen:", code, talk, released())
    house["c"].thaw()
    daemon.until(lambda: options.control or not daemon.run("release", "--ignore-grace", *where)[0],
                 "it is not released once all are back", seconds=300)
    check(options.control or released() == [[devices, devices]], "all that was acknowledged is in it:", released(), devices)
    say("  one stood still:", "without it a release lacks what it had, which is seen" if options.control else "nothing, then all of it")
    house.clean()


def main():
    parser = daemons.command_line(3)
    parser.add_argument("--only", choices=["changes", "releases"])
    parser.add_argument("--former", metavar="PROGRAM", help="the throng to begin with, to upgrade from and to go back to")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    this = daemon.BINARY
    # Which programs all run in turn, after the one that they began with.
    options.versions = [(this, "know_tomorrow"), (this, None)]
    if options.former:
        options.versions = [(this, None), (options.former, None), (this, None)]

    def run():
        for trial in range(options.trials):
            say(f"trial {trial + 1}")
            daemon.BINARY = options.former or this
            if options.only != "releases" and not options.control:
                changed(options, chance)
            daemon.BINARY = this
            if options.only != "changes":
                waited_for(options, chance)
            options.seed += 1

    daemon.main(run)


if __name__ == "__main__":
    main()
