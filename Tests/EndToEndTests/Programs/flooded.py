"""A client's network, by all that proxies write into their headers, and a flood of invented identifiers: who else is in that network
gets in, and the operator is told, without an address."""

import json
import time

import daemon
import shop
from daemon import check, say
from line import Line, request

# One address as proxies write it: IPv4 with N in it, and IPv6.
READABLE = [
    "198.51.N.7", "198.51.N.7:44321", "[2001:db8:N::7]:1234", "2001:db8:N::7", '"198.51.N.7"', "for=198.51.N.7;proto=https",
    'for="[2001:db8:N::7]:4711"', "198.51.N.7, ", "1.2.3.4, 198.51.N.7:80", '"[2001:db8:N::7]:80"', "::ffff:198.51.N.7",
    "[2001:db8:N::7%eth0]", "198.51.N.7, 127.0.0.1:9", "unknown, 198.51.N.7", 'For="198.51.N.7:_x";by=_p;host="a"']
UNREADABLE = ["unknown", "_hidden", "nonsense", "198.51.100.7:x", "[2001:db8::7", '"198.51.100.7', "for=unknown", "proto=http", ""]
ADDRESS = "203.0.113."


def statuses(house, number, headers, identifiers=range(4)):
    """Of a batch each by so many identifiers, of which none was seen before."""
    return [house.post(json.dumps(shop.batch(f"{number} {each}")), headers)[0] for each in identifiers]


def forwarded():
    """Of one address two identifiers count, however a proxy writes it; those that can't be read have one bound together."""
    house = daemon.Daemon(shop.plan(), THRONG_INTAKE_FORWARDERS="127.0.0.1", THRONG_INTAKE_NETWORK_IDENTIFIERS="2").start()
    number = 0
    for value in READABLE:
        for name in ("x-forwarded-for", "forwarded") if value.lower().startswith("for=") else ("x-forwarded-for",):
            number += 1
            found = statuses(house, number, {name: value.replace("N", str(number))})
            check(found == [202, 202, 429, 429], value, "in", name, "is answered with", found)
    # A client that adds the header that its proxy does not set.
    real = {"x-forwarded-for": "198.51.250.7"}
    check(statuses(house, "real", real) == [202, 202, 429, 429], "control")
    for forged in range(3):
        found = statuses(house, f"forged {forged}", {**real, "forwarded": f"for=198.51.251.{forged}"}, range(1))
        check(found == [429], "with a header of its own a client gets", found)
    check(house.metrics()["throng_unreadable_clients_total"] == 3, "readable ones are counted as unreadable")
    found = [status for place, value in enumerate(UNREADABLE)
             for status in statuses(house, f"unreadable {place}", {"x-forwarded-for": value}, range(2))]
    check(found == [202, 202] + [429] * (2 * len(UNREADABLE) - 2), "unreadable ones:", found)
    check(statuses(house, "none", {}, range(1)) == [429], "a listed proxy that says nothing has no bound")
    check(house.metrics()["throng_unreadable_clients_total"] == 4 + 2 * len(UNREADABLE), "not all are counted")
    text = house.log_text()
    said = text.count("a listed proxy does not say where a request's client is")
    check(said == 4, "of four kinds of what can't be read the log says", said)
    check("198.51" not in text and "2001:db8" not in text, "the log has an address")
    check(house.stop() == 0, "serve stops gracefully")
    say(f"{number} ways to write an address are read, and {len(UNREADABLE)} of what is none share one bound")


def posts(line, names, address):
    """Status and Retry-After of a batch by each name, sent together."""
    line.socket.sendall(b"".join(
        request("POST", "/v1/batches", json.dumps(shop.batch(name)).encode(), f"x-forwarded-for: {address}") for name in names))
    return [(status, int(found.get("retry-after", 0))) for status, found, _ in (line.answer() for _ in names)]


def flood():
    """10,000 invented identifiers from one address shut nobody out who is in the same network."""
    house = daemon.Daemon(shop.plan(), THRONG_INTAKE_FORWARDERS="127.0.0.1").start()
    with Line(house.port, 60) as line:
        known = [f"known {number}" for number in range(50)]
        check({status for status, _ in posts(line, known, ADDRESS + "7")} == {202}, "there is room")
        began, refused, waits = time.monotonic(), 0, []
        for start in range(0, 10_000, 100):
            found = posts(line, [f"flood {start + number}" for number in range(100)], ADDRESS + "7")
            check({status for status, _ in found} <= {202, 429}, "a flood is answered with", found[:3])
            refused += sum(status == 429 for status, _ in found)
            waits += [wait for status, wait in found if status == 429]
        seconds = time.monotonic() - began
        check(refused > 10_000 - 5100 - 6 * seconds, "of a flood", refused, "are refused in", seconds, "seconds")
        check(waits and 0 < min(waits) and max(waits) <= 60, "who is refused is told to wait", min(waits), "to", max(waits))
        honest = [posts(line, [f"honest {number}"], f"{ADDRESS}{8 + number % 200}")[0][0] for number in range(200)]
        check(honest == [202] * 200, "of 200 others in the network", honest.count(202), "get in")
        check({status for status, _ in posts(line, known, ADDRESS + "7")} == {202}, "who is known is refused")
        # Behind the flood's own address: once it is over, by trying again when they are told to.
        waiting, deadline = {f"behind {number}": 0 for number in range(20)}, time.monotonic() + 120
        while waiting:
            check(time.monotonic() < deadline, "of 20 behind the flood's address", len(waiting), "are not in after two minutes")
            for name in [name for name, due in waiting.items() if due <= time.monotonic()]:
                (status, wait), = posts(line, [name], ADDRESS + "7")
                waiting[name] = time.monotonic() + max(wait, 1)
                if status == 202:
                    del waiting[name]
            time.sleep(0.1)
    quota = house.metrics()['throng_batches_refused_total{reason="network_quota"}']
    check(quota >= refused, "the metric says", quota, "of", refused)
    deadline = time.monotonic() + 90
    while "batches of networks that bring too much at once" not in house.log_text():
        check(time.monotonic() < deadline, "the log says nothing of a flood")
        time.sleep(0.5)
    check(ADDRESS not in house.log_text(), "the log has an address")
    # A restart knows nothing of it, and refuses nobody for it.
    house.stop()
    house.start()
    with Line(house.port, 60) as line:
        check(posts(line, ["after"], ADDRESS + "7")[0][0] == 202, "a restart goes on refusing")
    check(house.stop() == 0, "serve stops gracefully")
    say(f"of a flood of 10,000 in {seconds:.0f} seconds {refused} are refused, and 200 others get in at once")


def test():
    forwarded()
    flood()


if __name__ == "__main__":
    daemon.main(test)
