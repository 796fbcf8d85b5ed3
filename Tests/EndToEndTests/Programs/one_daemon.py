"""A data directory belongs to one daemon at a time."""

import json
import subprocess

import daemon
import shop
from daemon import check, say


def test():
    house = daemon.Daemon(shop.plan()).start()
    postgres = house.postgres_pid()
    first, second = daemon.free_ports(2)
    done = subprocess.run(
        [daemon.BINARY, "serve", "--plan", house.plan, "--data", house.data, "--listen", f"127.0.0.1:{first}",
         "--metrics", f"127.0.0.1:{second}"],
        capture_output=True, text=True, timeout=300, env=daemon.environment())
    say("the second says:", done.stderr.strip())
    check(done.returncode == 1, "the exit code is", done.returncode)
    check(done.stdout == "", "standard output is data:", done.stdout)
    check(house.data in done.stderr, "the message names the data directory")
    check(len(done.stderr.strip().splitlines()) <= 3, "the message is short")
    check(house.postgres_pid() == postgres, "the first one's PostgreSQL still runs")
    status, _, answer = house.post(json.dumps(shop.batch()))
    check(status == 202, "the first one still counts:", status, answer)
    house.drain()
    check(shop.counted(house) == 1, "into its PostgreSQL")

    # Once the first is gone, killed even, the next may have it.
    house.kill()
    house.start()
    check(house.post(json.dumps(shop.batch()))[0] == 202, "the next one counts")
    house.drain()
    check(shop.counted(house) == 2, "after the first one's")
    check(house.stop() == 0, "serve stops gracefully")


if __name__ == "__main__":
    daemon.main(test)
