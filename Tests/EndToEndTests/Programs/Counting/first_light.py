"""Every counter, distinct count, released cell and reported number equals what an independent program computes, to the
last digit, although the daemon is killed with -9 twice under load."""

import csv
import json
import os
import random
import time

import crowd
import daemon
import plan_oracle
from daemon import Failure, check, say
from sender_load import Line, Senders, packed

DEVICES = int(os.environ.get("THRONG_TEST_DEVICES", "3000"))
SEED = int(os.environ.get("THRONG_TEST_SEED", "20261121"))
KILLS = (0.3, 0.65)


def same(what, expected, found):
    """Two dictionaries are equal; otherwise the first ten differences."""
    if expected == found:
        say(f"{what}: {len(found):,} equal")
        return
    lines = []
    for key in sorted(set(expected) | set(found), key=str):
        if expected.get(key) != found.get(key):
            lines.append(f"  {key}: expected {expected.get(key)}, found {found.get(key)}")
    raise Failure(f"{what}: {len(lines)} of {len(expected)} differ\n" + "\n".join(lines[:10]))


class Layouts:
    """What cell numbers mean, from the layouts' own JSON."""

    def __init__(self, house):
        self.by_id = {}
        for metric_id, text in house.sql("select metric_id, layout from throng.metric_layout"):
            layout = json.loads(text)
            self.by_id[metric_id] = (layout["metric"], [(each["name"], each["labels"]) for each in layout["dimensions"]])

    def metric(self, metric_id):
        return self.by_id[metric_id][0]

    def labels(self, metric_id, margin, cell):
        kept = [each for place, each in enumerate(self.by_id[metric_id][1]) if margin >> place & 1]
        found = []
        for name, labels in reversed(kept):
            cell, place = divmod(cell, len(labels))
            found.append((name, labels[place]))
        check(cell == 0, "a cell lies outside its margin")
        return frozenset(name for name, _ in kept), tuple(reversed(found))


ALL = (1 << 31) - 1


def compare_counters(house, layouts, known):
    expected = {(metric, start, labelled(known.metrics[metric], cell), place): value
                for (metric, start, cell), values in known.counters.items() for place, value in enumerate(values) if value}
    found = {}
    for metric, start, measure, cell, value in house.sql(
            "select metric_id, extract(epoch from period_start)::bigint, measure, cell, value from throng.counter"
            " where value <> 0"):
        labels = layouts.labels(metric, ALL, int(cell))[1]
        found[(layouts.metric(metric), int(start), labels, int(measure))] = int(value)
    same("counters", expected, found)


def labelled(metric, cell):
    return tuple(zip(metric.names, cell))


def compare_distinct(house, layouts, known, released=frozenset()):
    expected = {(metric, start, tuple(sorted(margin)), labels, window): len(identifiers)
                for (metric, start, margin, labels, window), identifiers in known.distinct.items() if (metric, start) not in released}
    found = {}
    for metric, start, margin, cell, window, devices in house.sql(
            "select metric_id, extract(epoch from period_start)::bigint, margin, cell, window_number, devices"
            " from throng.distinct_count"):
        kept, labels = layouts.labels(metric, int(margin), int(cell))
        found[(layouts.metric(metric), int(start), tuple(sorted(kept)), labels, int(window))] = int(devices)
    same("distinct counts" + (" left after the release" if released else ""), expected, found)


def compare_releases(house, layouts, known, closed):
    expected = {(metric, start, tuple(sorted(margin)), labels): cell
                for metric, start in closed for (margin, labels), cell in known.released(metric, start).items()}
    found = {}
    for metric, start, margin, cell, count, sums, reach, buckets in house.sql(
            "select metric_id, extract(epoch from period_start)::bigint, margin, cell, count,"
            " array_to_string(sums, ','), reach, array_to_json(buckets)"
            " from throng.released_cell join throng.release using (release_id)"):
        kept, labels = layouts.labels(metric, int(margin), int(cell))
        check([label for label in json.loads(buckets) if label is not None] == [label for _, label in labels],
              "the buckets of a released cell are not its cell's")
        found[(layouts.metric(metric), int(start), tuple(sorted(kept)), labels)] = (
            int(count), tuple(map(int, sums.split(","))) if sums else (), None if reach is None else int(reach))
    same("released cells", expected, found)
    releases = {(layouts.metric(metric), int(start)): int(threshold)
                for metric, start, threshold in house.sql(
                    "select metric_id, extract(epoch from period_start)::bigint, threshold from throng.release")}
    same("releases", {each: known.metrics[each[0]].k for each in closed}, releases)
    possible = sum(sum(1 for _ in known.metrics[metric].cells(margin)) for metric, _ in closed for margin in known.metrics[metric].shown)
    say(f"withheld: {possible - len(found):,} of {possible:,} cells that a release could show")
    return possible, len(found)


def compare_reports(house, known, start):
    day = time.strftime("%Y-%m-%d", time.gmtime(start))
    out = os.path.join(house.folder, "reports")
    code, paths, talk = daemon.run("report", "--plan", house.plan, "--data", house.data, "--period", day, "--out", out)
    check(code == 0, "throng report ended with", code, talk)
    check(len(paths.split()) == 5, "five files were asked for:", paths)
    checked = rests = 0
    for name, report in known.plan["reports"].items():
        document = json.loads(daemon.read(out, f"{name}-{day}.json"), parse_float=str, parse_int=str)
        with open(os.path.join(out, f"{name}-{day}.csv"), newline="") as file:
            lines = list(csv.DictReader(file))
        check([each["name"] for each in document["insights"]] == report["insights"], "the insights of", name)
        expected_lines = []
        for insight in document["insights"]:
            plan = known.plan["insights"][insight["name"]]
            names, rows, whole, share, rest = known.report_rows(insight["name"], start)
            expected = {row[0]: row[1:] for row in rows}
            found = {tuple(row["buckets"]): (row["value"], row["numerator"], row["denominator"]) for row in insight["rows"]}
            same(f"{name}, {insight['name']}", expected, found)
            check([row["status"] for row in insight["rows"]]
                  == ["withheld" if row[1] is None else "published" for row in rows], "the status of a number")
            check([each["name"] for each in insight["dimensions"]] == names, "the dimensions of", insight["name"])
            found = insight["whole"] and tuple(insight["whole"][each] for each in ("value", "numerator", "denominator"))
            check(found == whole, "the whole of", insight["name"], "is", found, "not", whole)
            check(insight["withheld_share"] == share,
                  "the withheld share of", insight["name"], "is", insight["withheld_share"], "not", share)
            found = insight["rest"] and tuple(insight["rest"][each] for each in ("value", "numerator", "denominator"))
            check(found == rest, "the rest of", insight["name"], "is", found, "not", rest)
            check(rest is None or insight["rest"]["status"] == "derived", "the status of a rest")
            checked += len(rows) + (rest is not None)
            rests += rest is not None
            lines_of = [("group", *row) for row in rows]
            lines_of += [("rest", (), *rest)] if rest else []
            lines_of += [("whole", (), *whole)] if whole else []
            for row, labels, value, *_ in lines_of:
                fixed = {**plan.get("where", {}), **dict(zip(names, labels))}
                part = next(iter(plan.get("part", {}).values()), "")
                status = "withheld" if value is None else "derived" if row == "rest" else "published"
                expected_lines.append((insight["name"], fixed, part, value or "", share or "", status, row))
        check(len(lines) == len(expected_lines), "lines of the CSV")
        for line, (insight, fixed, part, value, share, status, row) in zip(lines, expected_lines):
            metric = known.metrics[known.plan["insights"][insight]["metric"]]
            shown = {each: line[each] for each in metric.names if line.get(each)}
            defused = {key: "'" + label if label[:1] in "=+-@" else label for key, label in fixed.items()}
            check((line["insight"], line["part"], line["value"], line["withheld_share"], line["status"], line["row"],
                   shown) == (insight, part, value, share, status, row, defused), "a line of the CSV:", line)
    check(rests > 0, "no report has a line for what is withheld together")
    say(f"reports of {day}: {checked:,} numbers equal, {rests} of them of withheld rows together, in JSON and CSV")


def late_events(house, layouts, known, closed, rotation):
    """Events of a released day count into the open one; the release stays what it is."""
    known.released_periods = closed
    before = house.sql("select * from throng.released_cell order by 1, 2, 3")
    for place in range(60):
        now = int(time.time())
        known.open_at = now
        # The daemon learns of the release with the first flush after it.
        known.knows_releases = place > 0
        yesterday = time.strftime("%Y-%m-%dT12:00:00Z", time.gmtime(now - now % 86400 - 43200))
        batch = {
            "app": "bazaar", "batch": f"{place:032x}", "purpose": "product", "window": now // rotation,
            "id": f"late-{place}", "context": {"screen": "390x844", "channel": "email"},
            "events": [{"event": "product_view", "at": at} for at in (yesterday, daemon.instant(now), yesterday)]}
        status, _, body = house.post(json.dumps(batch))
        answer = json.loads(body)
        check(status == 202, "status", status)
        check((answer["accepted"], answer["refused"]) == known.answer(batch, now), "the answer to a late batch")
        if place == 0:
            house.drain()
    house.drain()
    say("late events of a released day")
    compare_counters(house, layouts, known)
    compare_distinct(house, layouts, known, closed)
    check(house.sql("select * from throng.released_cell order by 1, 2, 3") == before, "a release never changes")


def test():
    now = int(time.time())
    # Their windows go on while batches are sent, through both kills, and sent again.
    rotations = {
        "product": daemon.rotation_with_time_left([86400, 23 * 3600, 22 * 3600]),
        "marketing": daemon.rotation_with_time_left([minutes * 60 for minutes in range(30, 45)], needed=1000),
        "support": daemon.rotation_with_time_left([minutes * 60 for minutes in range(60, 50, -1)], needed=1000),
    }
    plan = daemon.read(os.path.dirname(os.path.abspath(__file__)), "crowd.yaml")
    for word, value in (("ROTATION_DAY", daemon.duration(rotations["product"])),
                        ("ROTATION_QUARTER", daemon.duration(rotations["marketing"])),
                        ("ROTATION_HOUR", daemon.duration(rotations["support"])),
                        ("EXPIRES", time.strftime("%Y-%m-%d", time.gmtime(now + 200 * 86400)))):
        plan = plan.replace(word, value)

    made = crowd.Crowd(DEVICES, rotations, now, SEED)
    say(f"{DEVICES:,} devices, {sum(map(len, made.sequences)):,} batches, {made.events:,} events, seed {SEED}")
    house = daemon.Daemon(plan, name="bazaar")
    # As its users meet it: with an initdb of its own.
    house.is_furnished = False
    house.start()
    postgres = house.postgres_pid()
    check(postgres, "serve started a PostgreSQL")
    say("serve is ready")

    senders = Senders(house, made.sequences)
    senders.start()
    for share in KILLS:
        while senders.acknowledged < share * senders.total and not senders.failure:
            time.sleep(0.01)
        check(any(thread.is_alive() for thread in senders.threads), "the kill falls into the load")
        house.kill()
        check(house.postgres_pid() == postgres, "PostgreSQL outlives a killed daemon")
        house.start()
        check(house.postgres_pid() == postgres, "the new daemon adopts it")
        say(f"killed with -9 after {senders.acknowledged:,} acknowledged batches, started again")
    check(house.log_text().count("still runs and is adopted") == len(KILLS), "the log says that it was adopted")
    senders.join()
    say(f"{senders.acknowledged:,} batches acknowledged, {senders.retries:,} tries lost, {senders.repeats:,} repeats")

    # Batches of before the kills, once more.
    again = random.Random(SEED).sample([batch for sequence in made.sequences for batch in sequence], 300)
    line = Line(house, senders)
    for batch in again:
        senders.deliver(line, batch, *packed(batch, random.Random(1)))
    if senders.failure:
        raise senders.failure
    house.drain()
    say("PostgreSQL has everything")

    known = plan_oracle.Oracle(plan)
    answers = {}
    for sequence in made.sequences:
        for batch in sequence:
            accepted, refused = known.answer(batch, now)
            answers[batch["batch"]] = {"accepted": accepted, "refused": [{"index": index, "reason": reason} for index, reason in refused]}
    say("refusals:", dict(known.bitten))
    for reason in ("unknown_event", "unknown_field", "invalid_value", "too_old", "in_the_future", "metric_expired",
                   "contribution_bound", "partition_conflict", "partly"):
        check(known.bitten[reason] > 3, "the crowd is too tame: no", reason)
    # Where a reason is has a test of its own.
    given = {name: {**answer, "refused": [{key: each[key] for key in ("index", "reason")} for each in answer["refused"]]}
             for name, answer in senders.answers.items()}
    same("answers", answers, given)
    layouts = Layouts(house)
    compare_counters(house, layouts, known)
    compare_distinct(house, layouts, known)

    # What is over when it is released is over for this program, too.
    daemon.hour_with_time_left(180)
    house.release()
    closed = known.closed(time.time())
    possible, published = compare_releases(house, layouts, known, closed)
    check(published > 100 and possible - published > 100, "some are released and some are not")
    compare_distinct(house, layouts, known, closed)
    compare_counters(house, layouts, known)
    compare_reports(house, known, now - now % 86400 - 86400)
    late_events(house, layouts, known, closed, rotations["product"])
    check(house.stop() == 0, "serve stops gracefully")
    check(house.postgres_pid() is None, "and so does its PostgreSQL")
