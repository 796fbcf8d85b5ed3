"""Everything that a house gave to anyone, as facts about unknown counts: analysts' views and partners' files."""

import calendar
import csv
import datetime
import json
import os
import re
from fractions import Fraction

from daemon import check
from town import DAY, K, MONDAY


class Fact:
    """lower ≤ Σ factor · (measure of a metric over some days and buckets) ≤ upper."""

    def __init__(self, source, terms, lower, upper):
        self.source = source
        self.terms = terms
        self.lower = lower
        self.upper = upper

    @staticmethod
    def number(source, metric, measure, days, fixed, value):
        return Fact(source, [(1, (metric, measure, tuple(days), tuple(sorted(fixed.items()))))], value, value)

    @property
    def cell(self):
        """The cell that this is a plain number of."""
        return self.terms[0][1] if len(self.terms) == 1 and self.terms[0][0] == 1 and self.lower == self.upper else None

    @staticmethod
    def quotient(source, tops, bottom, text, scale=1):
        """A quotient as printed: |tops − text · bottom| is at most half a unit of its last digit, times bottom.

        `scale` units of the tops make one of the quotient."""
        value = Fraction(text)
        places = len(text.partition(".")[2])
        unit = 2 * 10**places
        found = []
        for side, lower, upper in ((1, None, 0), (-1, 0, None)):
            edge = (value + Fraction(side, unit)) * scale
            terms = [(factor * edge.denominator, top) for factor, top in tops] + [(-edge.numerator, bottom)]
            found.append(Fact(source, terms, lower, upper))
        return found

    def __str__(self):
        if self.cell:
            metric, measure, days, fixed = self.cell
            return f"{metric} {measure} {spell(days, dict(fixed))} = {self.lower} [{self.source}]"
        return f"a quotient [{self.source}]"


def spell(days, fixed):
    buckets = ", ".join(f"{name}={label}" for name, label in fixed.items()) or "everything"
    return f"{buckets} on day{'s' if len(days) > 1 else ''} {', '.join(str(day + 1) for day in days)}"


def days_between(start, end):
    """The whole days of a period, counted from the Monday."""
    check((start - MONDAY) % DAY == 0 and (end - MONDAY) % DAY == 0, "a period of whole days:", start, end)
    return range((start - MONDAY) // DAY, (end - MONDAY) // DAY)


# Views

def views(house, only=None):
    """Every number of whole days that the analysts' role can read, by view, or those of one metric; views are read as it."""
    facts = []
    for metric, view in house.sql("select metric, view_name from analyst.metrics order by 2"):
        if view is None or only not in (None, metric):
            continue
        columns = [name for (name,) in house.sql(
            "select attname from pg_attribute where attnum > 0 and not attisdropped"
            f" and attrelid = 'analyst.{view}'::regclass order by attnum")]
        rows = house.sql(
            "set role throng_analyst; select extract(epoch from period_start)::bigint,"
            f" extract(epoch from period_end)::bigint, to_jsonb(v) from analyst.{view} as v")
        for start, end, row in rows:
            row = json.loads(row, parse_float=str)
            if (int(end) - int(start)) % DAY:
                continue
            days = days_between(int(start), int(end))
            fixed = {
                name: row[name] for name in columns
                if name not in ("period_start", "period_end", "period_kind", "margin", "events", "devices", "spent", "withheld")
                and isinstance(row[name], str) and row[name] != "(all)"}
            for column, measure in (("events", "count"), ("devices", "reach"), ("spent", "spent")):
                if row.get(column) is not None:
                    value = Fraction(str(row[column])) * (100 if measure == "spent" else 1)
                    check(value.denominator == 1, "a whole number")
                    facts.append(Fact.number(f"view {view}", metric, measure, days, fixed, int(value)))
    return facts


# Files

def seconds(text):
    moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return calendar.timegm(moment.utctimetuple())


def report(path):
    """The facts of a report's JSON, every number of it."""
    with open(path) as file:
        document = json.load(file, parse_float=str, parse_int=str)
    name = os.path.basename(path)
    days = tuple(days_between(seconds(document["period"]["start"]), seconds(document["period"]["end"])))
    facts = []
    for insight in document["insights"]:
        if insight["status"] != "answered":
            continue
        facts += insight_facts(f"{name} {insight['name']}", insight, days)
    return facts


def insight_facts(source, insight, days):
    metric, kind = insight["metric"], insight["kind"]
    names = [each["name"] for each in insight["dimensions"]]
    filters = {each["dimension"]: each["bucket"] for each in insight["filters"]}
    part = {insight["part"]["dimension"]: insight["part"]["bucket"]} if insight["part"] else {}
    measure = "reach" if insight["basis"]["counts"] == "devices" else "count"
    base = (metric, measure, days, tuple(sorted(filters.items())))
    facts = []
    rows = [(dict(zip(names, row["buckets"])), row) for row in insight["rows"]]
    if insight["whole"]:
        rows.append(({}, insight["whole"]))
    for split, row in rows:
        if row["value"] is None:
            continue
        here = {**filters, **split}
        if kind == "mean":
            top, bottom, scale = (1, ("spent", here)), ("count", here), 100
        elif kind == "share":
            top, bottom, scale = (1, (measure, {**here, **part})), (measure, here if part else filters), 1
        else:
            facts.append(Fact.number(source, metric, measure, days, here, int(row["value"])))
            continue

        def region(pair):
            return metric, pair[0], days, tuple(sorted(pair[1].items()))

        facts += Fact.quotient(source, [(1, region(top[1]))], region(bottom), row["value"], scale)
        if row["numerator"] is not None:
            value = Fraction(row["numerator"]) * scale
            facts.append(Fact.number(source, metric, top[1][0], days, top[1][1], int(value)))
        if row["denominator"] is not None:
            facts.append(Fact.number(source, metric, bottom[0], days, bottom[1], int(row["denominator"])))
    if insight["rest"] and kind in ("count", "distribution"):
        parts = [
            (-1, (metric, "count", days, tuple(sorted({**filters, **split}.items()))))
            for split, row in rows[:len(insight["rows"])] if row["value"] is not None]
        value = int(insight["rest"]["value"])
        facts.append(Fact(source, [(1, base), *parts], value, value))
    if insight["withheld_share"] is not None and kind != "share" or insight["withheld_share"] and not part:
        # What is not withheld: the published rows over the whole.
        counted = (metric, "count", days, base[3])
        tops = [
            (1, (metric, "count", days, tuple(sorted({**filters, **split}.items()))))
            for split, row in rows[:len(insight["rows"])] if row["value"] is not None]
        places = len(insight["withheld_share"].partition(".")[2])
        rest = 1 - Fraction(insight["withheld_share"])
        text = f"{rest.numerator * 10**places // rest.denominator:0{places + 1}d}"
        facts += Fact.quotient(source, tops, counted, text[:-places] + "." + text[-places:])
    return facts


def tells(folder):
    """What the form of the files gives away of withheld rows: words, marks, order, absence. A list of findings."""
    found = []
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name.endswith(".json"):
            with open(path) as file:
                document = json.load(file)
            for insight in document["insights"]:
                if insight["status"] != "answered":
                    continue
                shown = [tuple(row["buckets"]) for row in insight["rows"]]
                axes = [each["buckets"] for each in insight["dimensions"]]
                wanted = [()]
                for axis in axes:
                    wanted = [(*head, label) for head in wanted for label in axis]
                if shown != wanted:
                    found.append(f"{name} {insight['name']}: rows are not all there in the plan's order")
                forms = {
                    json.dumps({key: row[key] for key in row if key != "buckets"})
                    for row in insight["rows"] if row["value"] is None and row["status"] != "impossible"}
                if len(forms) > 1:
                    found.append(f"{name} {insight['name']}: withheld rows are written in {len(forms)} ways: {forms}")
        elif name.endswith(".csv"):
            with open(path, newline="") as file:
                lines = list(csv.DictReader(file))
            forms = {}
            for line in lines:
                if not line["value"] and line["status"] != "impossible":
                    rest = {key: line[key] for key in ("value", "unit", "basis", "k", "sampling", "status", "part")}
                    forms.setdefault(line["insight"], set()).add(json.dumps(rest))
            found += [f"{name} {insight}: withheld lines differ" for insight, each in forms.items() if len(each) > 1]
        elif name.endswith(".html"):
            found += page_tells(name, path)
    return found


MARK = re.compile(r"<td[^>]*>(?:(?!</td>).)*withheld(?:(?!</td>).)*</td>|<g>(?:(?!</g>).)*withheld(?:(?!</g>).)*</g>", re.DOTALL)
FIGURE = re.compile(r'<td class="n">([\d,.]+%?)|class="figure"[^>]*>([\d,.]+%?)')


def page_tells(name, path):
    """Withheld rows of a page must be drawn alike, and every number of it must be one of its JSON's."""
    with open(path) as file:
        text = file.read()
    with open(path.removesuffix("html") + "json") as file:
        insights = json.load(file, parse_float=str, parse_int=str)["insights"]
    found = []
    for insight, section in zip(insights, re.findall(r'<section class="insight".*?</section>', text, re.DOTALL)):
        # But for the group's name and its place.
        forms = {
            re.sub(r' y="\d+"|<title>.*?</title>|<text class="label".*?</text>', "", mark) for mark in MARK.findall(section)}
        if len({form for form in forms if form.startswith("<td")}) > 1 or len(
                {form for form in forms if form.startswith("<g")}) > 1:
            found.append(f"{name} {insight['name']}: withheld rows are drawn in several ways: {forms}")
        rows = [*insight["rows"], *(insight[each] for each in ("whole", "rest") if insight[each])]
        known = {Fraction(row[each]) for row in rows for each in ("value", "numerator", "denominator") if row[each]}
        for figures in FIGURE.findall(section):
            figure = (figures[0] or figures[1]).replace(",", "")
            if figure.endswith("%"):
                if insight["kind"] == "count" and not (insight["whole"] and insight["whole"]["value"]):
                    found.append(f"{name} {insight['name']}: a share of a withheld whole: {figure}")
            elif Fraction(figure) not in known:
                found.append(f"{name} {insight['name']}: {figure} is a number of the page alone")
    return found
