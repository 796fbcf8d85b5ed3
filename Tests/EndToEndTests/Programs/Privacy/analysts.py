"""What an analyst's login can find out: released numbers, and nothing else of what the database knows.

analysts.sql holds the claims that can be put as SQL, in pgTAP; this program those that need something to happen: that
somebody's event changes nothing that an analyst can see, and that no plan tells withheld rows apart."""

import itertools
import os
import re
import subprocess

import small_house
from daemon import check, say
from small_house import ask, ask_all


def pgtap(house):
    house.sql("create schema tap; create extension pgtap schema tap; create extension dblink schema tap;"
              f" alter database throng set tap.socket = '{house.data}/postgres'")
    done = subprocess.run(["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-P", "pager=off", "-h", house.data + "/postgres", "-U",
                           "postgres", "-d", "throng", "-f", os.path.join(os.path.dirname(os.path.abspath(__file__)), "analysts.sql")],
                          capture_output=True, text=True, timeout=600)
    lines = done.stdout.split("\n")
    failed = [line for line in lines if line.startswith("not ok") or line.startswith("# ")]
    check(done.returncode == 0 and not failed, "pgTAP:\n", "\n".join(failed), done.stderr)
    passed = sum(line.startswith("ok") for line in lines)
    check(f"1..{passed}" in lines and passed > 60, "pgTAP ran", passed, "tests")
    house.sql("drop schema tap cascade; alter database throng reset tap.socket")
    say(f"pgTAP: {passed} claims hold")


def withheld_plans(house):
    """A small cell and an empty one: the same plan, rows, buffers and loops."""
    rows = ask(house, "select system, room from analyst.salon_visits where margin = 'system, room' and"
                      " withheld like 'withheld%'")[1].split("\n")
    check("linux|cellar" in rows and "ios|attic" in rows and len(rows) > 4, "withheld are", rows)
    labels = [row.split("|") for row in rows]
    # Not by nulls: how many rows of a label are withheld is there for all to see, and differs.
    for query in ("select * from analyst.salon_visits where margin = 'system, room' and system = 'S' and room = 'R'",
                  "select sum(events), max(spent) from analyst.salon_visits where system = 'S' and room = 'R'",
                  "select * from analyst.salon_visits where system = 'S' and room = 'R' and events < 5"):
        explain = "explain (analyze, buffers, verbose, timing off, summary off) " + query
        answers = ask_all(house, [explain.replace("S'", system + "'").replace("R'", room + "'") for system, room in labels])
        plans = set()
        for (system, room), (plan, error) in zip(labels, answers):
            check(not error and plan, error)
            plan = plan.replace(f"'{system}'", "'L'").replace(f"'{room}'", "'L'")
            # The first time something is read, it comes from the disk.
            plan = re.sub(r"^ *(Planning:|Buffers:.*)\n?", "", plan, flags=re.M)
            # How many rows of other labels a filter removes depends on the label's place among the plan's.
            plans.add(re.sub(r"Rows Removed by \w+( Filter)?: \d+", "", plan).strip())
        difference = [lines for lines in itertools.zip_longest(*(plan.split("\n") for plan in plans)) if len(set(lines)) > 1]
        check(not difference, "plans of withheld rows differ:", *difference)
    for error in ("withheld::bigint", "(withheld || events)::bigint", "1 / (events - events)"):
        answers = ask_all(house, [
            f"select {error} from analyst.salon_visits where margin = 'system, room' and system = '{system}' and room = '{room}'"
            for system, room in labels])
        # psql names the line of each question.
        texts = {(out, re.sub(r"^psql:<stdin>:\d+: ", "", talk, flags=re.M)) for out, talk in answers}
        check(len(texts) == 1, "errors of withheld rows differ:", texts)
    say(f"{len(rows)} withheld rows have the same plans and the same errors")


# What differs from one moment to the next for everybody.
RESTLESS = re.compile(r"^(now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday|random|gen_random_uuid|pg_backend_pid"
                      r"|pg_sleep.*|inet_.*|pg_stat_clear_snapshot|pg_stat_force_next_flush|pg_stop_making_pinned_objects|lastval"
                      r"|pg_timezone_names|pg_timezone_abbrevs|pg_show_all_settings|pg_available_extension.*|pg_advisory_unlock_all)$")


def visible(house):
    """Everything that an analyst can read without knowing where: each catalogue, each function without arguments."""
    queries = {}
    relations = ask(house, """
        select format('%I.%I', n.nspname, c.relname), string_agg(quote_ident(a.attname), ',' order by attnum)
        from pg_class as c join pg_namespace as n on n.oid = c.relnamespace join pg_attribute as a on a.attrelid = c.oid
        where n.nspname in ('pg_catalog', 'information_schema', 'analyst') and c.relkind in ('r', 'v') and attnum > 0
            and c.relname !~ '^pg_timezone' and has_column_privilege(c.oid, attnum, 'select')
        group by 1 order by 1""")[1].split("\n")
    functions = ask(house, """
        select format('%I.%I', pronamespace::regnamespace, proname), proname from pg_proc
        where pronargs = 0 and prokind = 'f' and prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
            and has_function_privilege(oid, 'execute') order by 1""")[1].split("\n")
    for line in relations:
        name, columns = line.split("|")
        queries[name] = f"select md5(string_agg(t::text, '|' order by t::text)) from (select {columns} from {name}) t"
    for line in functions:
        name, word = line.split("|")
        if not RESTLESS.match(word):
            queries[name + "()"] = f"select {name}()"
    return dict(zip(queries, ask_all(house, queries.values())))


def one_event(house):
    """Somebody's event, and nothing that an analyst can see is different."""
    before = visible(house)
    readable = sum(not error for _, error in before.values())
    check(len(before) > 200 and readable > 150, "only", readable, "of", len(before), "could be read")
    check(visible(house) == before, "what an analyst sees stands still while nothing happens")
    house.sql("analyze throng.counter")
    house.sql("vacuum throng.distinct_count")
    small_house.visit(house, "one more", "linux", "attic", at=small_house.HOUR + 3600 + 5)
    house.drain()
    house.sql("analyze throng.counter")
    house.sql("vacuum throng.distinct_count")
    after = visible(house)
    different = {name: (before.get(name), after.get(name)) for name in before | after if before.get(name) != after.get(name)}
    check(not different, "one event shows in", different)
    # The control: a superuser sees it in as many places as one would think.
    check(int(house.sql("select sum(n_tup_ins + n_tup_upd) from pg_stat_all_tables where relname ~ '^counter_h'")[0][0]) > 0,
          "the statistics are there, for others")
    say(f"one event changes none of {len(before)} catalogues and functions, {readable} of which an analyst can read")


def reopened(house):
    """The control: what confinement closes was open, and told."""
    house.sql("select throng.confine_analysts(false)")
    code, out, error = ask(house, "select relname, n_tup_ins, reltuples from pg_stat_all_tables join pg_class using (relname)"
                                  " where schemaname = 'throng' and relname = 'withheld_cell'")
    # Exactly how many withheld rows are not empty.
    check(code == 0 and out.startswith("withheld_cell|") and not out.startswith("withheld_cell|0|"), code, out, error)
    house.sql("select throng.confine_analysts(true)")
    check(ask(house, "select * from pg_stat_all_tables")[0] == 1, "closed again")
    say("without confinement PostgreSQL tells how many withheld rows are not empty")


def test():
    house = small_house.open_house()
    # Autovacuum renews what PostgreSQL believes of its own catalogues, which everybody may read, whenever it likes to.
    house.sql("alter system set autovacuum = off")
    house.sql("select pg_reload_conf()")
    pgtap(house)
    withheld_plans(house)
    one_event(house)
    reopened(house)
    check(house.stop() == 0, "serve stops gracefully")
