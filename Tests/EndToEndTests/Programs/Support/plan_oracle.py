"""What Throng must have counted, released and reported, computed from the plan's YAML and the batches as they were sent.

Everything here is in words (labels, names); nothing is taken from Throng but what it says of itself in its documents."""

import calendar
import collections
import datetime
import fractions
import itertools

import yaml
from buckets import MISSING, Dimension, unix


def fault(fields, known):
    """Why the first of these that may not be there has what it came with refused."""
    for name, value in fields.items():
        if name not in known:
            return "unknown_field"
        if isinstance(value, (list, dict)):
            return "invalid_value"
    return None


class Metric:
    def __init__(self, name, plan, whole, insights):
        self.name, self.plan, self.events = name, plan, set(plan["events"])
        self.purpose, self.period, self.bound = plan["purpose"], plan["period"], plan["contribution_bound"]
        self.k = plan.get("threshold", whole["app"]["threshold"])
        self.expires = calendar.timegm(plan["expires"].timetuple())
        measures = plan.get("measures") or {}
        self.reach = measures.get("reach", False)
        self.sums = list((measures.get("sums") or {}).items())
        self.dimensions = [Dimension(each, whole["dimensions"][each]) for each in plan["dimensions"]]
        self.histogram = None
        if histogram := measures.get("histogram"):
            self.histogram = histogram["name"]
            self.dimensions.append(Dimension(histogram["name"], {"field": histogram["field"], "bands": histogram["edges"]}))
        self.names = [each.name for each in self.dimensions]
        self.partition = frozenset(each.name for each in self.dimensions if each.partitions)
        margins = plan.get("margins") or [*([each] for each in self.names), self.names]
        asked = [self.asked(insight) for insight in insights.values() if insight["metric"] == name]
        self.shown = {frozenset()}.union(map(frozenset, margins), *asked)
        self.tracked = {frozenset(self.names)} | {margin | self.partition for margin in self.shown}
        fields = [each.field for each in self.dimensions] + [each["field"] for _, each in self.sums]
        self.fields = {field for field in fields if field not in (None, "event", "at")}

    def rows_of(self, dimension):
        """The labels that a report has rows for: no "other" where nothing that the metric counts can land in it."""
        kind, field, rule = dimension.kind, dimension.field, dimension.rule
        named = itertools.chain(*rule.values()) if isinstance(rule, dict) else rule
        is_closed = (kind == "time" or kind == "bands" and field in {each["field"] for _, each in self.sums}
                     or kind == "list" and field == "event" and self.events <= set(map(str, named)))
        return [label for label in dimension.labels if label != "other" or not is_closed]

    def asked(self, insight):
        """The margins that an insight reads."""
        where = frozenset(insight.get("where", {}))
        base = where | frozenset(insight.get("by", []))
        if insight["kind"] == "share":
            return {base, base | frozenset(insight["part"])} if "part" in insight else {base, where}
        return {base, base | {self.histogram}} if insight["kind"] == "distribution" else {base}

    def labels(self, cell, margin):
        """A leaf's labels with those that the margin sums out left out, as (name, label) pairs."""
        return tuple((name, label) for name, label in zip(self.names, cell) if name in margin)

    def cells(self, margin):
        axes = [[(each.name, label) for label in each.labels] for each in self.dimensions if each.name in margin]
        return itertools.product(*axes)

    def period_of(self, at):
        """First second and end of the period, in UTC."""
        if length := {"hour": 3600, "day": 86400}.get(self.period):
            return at - at % length, at - at % length + length
        moment = datetime.datetime.fromtimestamp(at, datetime.timezone.utc)
        start = datetime.datetime(moment.year, moment.month, 1, tzinfo=datetime.timezone.utc)
        end = (start + datetime.timedelta(days=32)).replace(day=1)
        return int(start.timestamp()), int(end.timestamp())


class Oracle:
    def __init__(self, plan_text):
        self.plan = yaml.safe_load(plan_text)
        self.metrics = {name: Metric(name, each, self.plan, self.plan["insights"]) for name, each in self.plan["metrics"].items()}
        self.by_purpose = collections.defaultdict(list)
        for metric in self.metrics.values():
            self.by_purpose[metric.purpose].append(metric)
        self.fields = {purpose: set().union(*(metric.fields for metric in metrics)) for purpose, metrics in self.by_purpose.items()}
        # (metric, period start, leaf) -> [count, sums...]
        self.counters = {}
        # (metric, period start, margin, labels, window) -> identifiers
        self.distinct = collections.defaultdict(set)
        # (purpose, window, identifier, metric) -> [used, partition]
        self.used = {}
        self.bitten = collections.Counter()
        # Released periods, the time that their late events count at, and whether the daemon knew of the release when it
        # counted them: if not, they prove no device anywhere.
        self.released_periods, self.open_at, self.knows_releases = set(), None, False

    # Counting

    def is_program(self, batch):
        """Whether a user agent of it is a bot's: it adds to values and is no device."""
        agents = [each.get("user_agent") for each in (batch.get("context", {}), *(event.get("fields", {}) for event in batch["events"]))]
        return "user_agent" in self.fields[batch["purpose"]] and any(
            isinstance(each, str) and (each == "bot" or Dimension.AGENTS.read(each)[2] == "bot") for each in agents)

    def answer(self, batch, now):
        """Counts a batch; what its client must have been told: (accepted, [(index, reason)])."""
        purpose, context = batch["purpose"], batch.get("context", {})
        spoilt = fault(context, self.fields[purpose])
        accepted, refused = 0, []
        for index, event in enumerate(batch["events"]):
            reason = spoilt or self.count(batch, context, event, now)
            if reason:
                refused.append((index, reason))
                self.bitten[reason] += 1
            else:
                accepted += 1
        return accepted, refused

    def count(self, batch, context, event, now):
        name, at = event["event"], unix(event["at"])
        metrics = [metric for metric in self.by_purpose[batch["purpose"]] if name in metric.events]
        if not metrics:
            return "unknown_event"
        if at < now - 48 * 3600:
            return "too_old"
        if at > now + 300:
            return "in_the_future"
        own = event.get("fields", {})
        if reason := fault(own, set().union(*(metric.fields for metric in metrics))):
            return reason
        live = [metric for metric in metrics if now < metric.expires and at < metric.expires]
        if not live:
            return "metric_expired"
        # An event without the number that a metric sums counts in none.
        for metric in live:
            for _, measure in metric.sums:
                value = own.get(measure["field"], context.get(measure["field"], MISSING))
                if isinstance(value, bool) or not isinstance(value, (int, float)):
                    return "invalid_value"
        counted = False
        for metric in live:
            verdict = self.add(metric, batch, {**context, **own}, event, at)
            counted = counted or verdict is None
            reason = reason or verdict
            if verdict is None and len(live) > 1 and reason:
                self.bitten["partly"] += 1
        return None if counted else reason

    def add(self, metric, batch, fields, event, at):
        cell = tuple(each.bucket(fields.get(each.field, MISSING), at, event["event"]) for each in metric.dimensions)
        part = metric.labels(cell, metric.partition)
        key = (batch["purpose"], batch["window"], batch["id"], metric.name)
        used, known = self.used.get(key, (0, None))
        if known is not None and known != part:
            return "partition_conflict"
        amount = min(event.get("count", 1), metric.bound - used)
        if amount <= 0:
            return "contribution_bound"
        self.used[key] = (used + amount, part)
        start = metric.period_of(at)[0]
        is_late = (metric.name, start) in self.released_periods
        if is_late:
            start = metric.period_of(self.open_at)[0]
        values = self.counters.setdefault((metric.name, start, cell), [0] * (1 + len(metric.sums)))
        values[0] += amount
        for place, (_, measure) in enumerate(metric.sums):
            clipped = min(max(float(fields[measure["field"]]), measure["from"]), measure["to"])
            # Python's round is half to even.
            values[1 + place] += round(clipped * 10.0 ** measure["decimals"]) * amount
        if is_late and not self.knows_releases or self.is_program(batch):
            return None
        for margin in metric.tracked:
            self.distinct[(metric.name, start, margin, metric.labels(cell, margin), batch["window"])].add(batch["id"])
        return None

    # Releasing

    def closed(self, now):
        """The metrics and periods that are over, those between two in which something was counted among them."""
        found = set()
        for name, metric in self.metrics.items():
            starts = [start for counted, start, _ in self.counters if counted == name]
            start = min(starts, default=now)
            while metric.period_of(start)[1] <= now:
                found.add((name, start))
                start = metric.period_of(start)[1]
        return found

    def busiest(self, name, start):
        """The window with the most identifiers, the first of several; None where there is none."""
        metric = self.metrics[name]
        windows = collections.Counter()
        for (counted, period, margin, _, window), identifiers in self.distinct.items():
            if (counted, period, margin) == (name, start, metric.partition):
                windows[window] += len(identifiers)
        return max(sorted(windows), key=lambda window: windows[window], default=None)

    def released(self, name, start):
        """(margin, labels) -> (count, sums, reach) of every cell that leaves the house: k devices of the busiest window are in it.
        Devices are those of that window."""
        metric = self.metrics[name]
        leaves = [(cell, values) for (metric_name, period, cell), values in self.counters.items() if (metric_name, period) == (name, start)]
        busiest = self.busiest(name, start)
        found = {}
        for margin in metric.shown:
            # In the window distinct identifiers, added over dimensions that partition devices.
            devices = collections.Counter()
            for (metric_name, period, counted, labels, window), identifiers in self.distinct.items():
                if (metric_name, period, counted, window) == (name, start, margin | metric.partition, busiest):
                    devices[tuple(pair for pair in labels if pair[0] in margin)] += len(identifiers)
            totals = {}
            for cell, values in leaves:
                labels = metric.labels(cell, margin)
                totals[labels] = list(map(sum, zip(values, totals.get(labels, itertools.repeat(0)))))
            for labels, values in totals.items():
                if devices[labels] >= metric.k:
                    found[(margin, labels)] = (values[0], tuple(values[1:]), devices[labels] if metric.reach else None)
        return found

    # Reporting

    def report_rows(self, insight_name, start):
        """Every row of an insight in the plan's order: (labels, value as text or None, numerator, denominator), and the same for the whole
        (None where it means nothing), the withheld share, and what the withheld rows hold together (None where there is no line for it)."""
        insight = self.plan["insights"][insight_name]
        metric = self.metrics[insight["metric"]]
        cells = self.released(metric.name, start)
        names = insight.get("by", []) + ([metric.histogram] if insight["kind"] == "distribution" else [])
        base = dict(insight.get("where", {}))
        part = insight.get("part", {})

        def cell(fixed):
            margin = frozenset(fixed)
            labels = tuple((name, fixed[name]) for name in metric.names if name in fixed)
            return cells.get((margin, labels))

        def figure(split):
            found = cell({**base, **split})
            if found is None:
                return None, None, None
            count, sums, reach = found
            if insight["kind"] in ("count", "distribution"):
                return str(count), None, None
            if insight["kind"] == "reach":
                return str(reach), None, None
            if insight["kind"] == "mean":
                place, decimals = [name for name, _ in metric.sums].index(insight["sum"]), decimals_of(metric, insight)
                value = fractions.Fraction(sums[place], 10**decimals)
                return decimal(value / count, max(2, decimals)), decimal(value, decimals), str(count)
            pair = (cell({**base, **split, **part}), found) if part else (found, cell(base))
            if None in pair:
                return None, None, None
            top, bottom = (each[0 if insight["basis"] == "events" else 2] for each in pair)
            return decimal(fractions.Fraction(top, bottom), 6), str(top), str(bottom)

        axes = [metric.rows_of(next(each for each in metric.dimensions if each.name == name)) for name in names]
        rows = [(labels, *figure(dict(zip(names, labels)))) for labels in itertools.product(*axes)]
        whole = None
        if names and frozenset(base) in metric.shown and (
                insight["kind"] != "share" or (part and frozenset({**base, **part}) in metric.shown)):
            whole = figure({})
        total = cell(base) if frozenset(base) in metric.shown else None
        covered = sum(cell({**base, **dict(zip(names, labels))})[0] for labels, value, *_ in rows if value is not None)
        share = None
        if total and covered <= total[0] and (names or covered):
            share = decimal(fractions.Fraction(total[0] - covered, total[0]), 6)
        rest = None
        counts_events = insight["kind"] in ("count", "distribution", "mean") or insight.get("basis") == "events"
        if share and names and counts_events and any(row[1] is None for row in rows):
            bottom = total[0] - covered
            if insight["kind"] in ("count", "distribution"):
                rest = str(bottom), None, None
            elif insight["kind"] == "mean" and whole[0] is not None and bottom:
                top = fractions.Fraction(whole[1]) - sum(fractions.Fraction(row[2]) for row in rows if row[2] is not None)
                decimals = decimals_of(metric, insight)
                rest = decimal(top / bottom, max(2, decimals)), decimal(top, decimals), str(bottom)
            elif insight["kind"] == "share":
                # Of a share without a part, each row is a part of the same whole.
                everything = total[0] if not part else (cell({**base, **part}) or [None])[0]
                below = bottom if part else total[0]
                if everything is not None and below:
                    top = everything - sum(int(row[2]) for row in rows if row[2] is not None)
                    rest = decimal(fractions.Fraction(top, below), 6), str(top), str(below)
        # A rest that is small and one that is empty are told alike: not at all.
        if total and any(row[1] is None for row in rows) and total[0] - covered < metric.k:
            share = rest = None
        if rest:
            _, top, bottom = rest
            least = int(rest[0]) if top is None else int(bottom) if insight["kind"] == "mean" else min(int(top), int(bottom))
            rest = rest if least >= metric.k else None
        return names, rows, whole, share, rest


def decimals_of(metric, insight):
    """Of the sum that an insight is about."""
    return dict(metric.sums)[insight["sum"]]["decimals"]


def decimal(value, places):
    """A fraction with so many decimal places, rounded half to even."""
    units = round(value * 10**places)
    digits = str(abs(units)).rjust(places + 1, "0")
    text = digits[:-places] + "." + digits[-places:] if places else digits
    return ("-" if units < 0 else "") + text
