"""The same files as a naive house would have written them: whatever stands for k devices is filled in."""

import json
import os
from fractions import Fraction

from published import days_between, seconds
from town import K


def write(given, folder, metrics):
    """Takes the form of the delivered reports; their numbers come from the people themselves."""
    os.makedirs(folder)
    for name in sorted(os.listdir(given)):
        if not name.endswith(".json"):
            continue
        with open(os.path.join(given, name)) as file:
            document = json.load(file)
        days = tuple(days_between(seconds(document["period"]["start"]), seconds(document["period"]["end"])))
        for insight in document["insights"]:
            if insight["status"] == "answered":
                fill(insight, metrics[insight["metric"]], days)
        with open(os.path.join(folder, name), "w") as file:
            json.dump(document, file, indent=1)


def fill(insight, metric, days):
    names = [each["name"] for each in insight["dimensions"]]
    filters = {each["dimension"]: each["bucket"] for each in insight["filters"]}
    part = {insight["part"]["dimension"]: insight["part"]["bucket"]} if insight["part"] else {}
    for row in [*insight["rows"], *([insight["whole"]] if insight["whole"] else [])]:
        here = {**filters, **dict(zip(names, row.get("buckets", ())))}
        row["value"], row["numerator"], row["denominator"] = figure(insight["kind"], metric, days, here, part, filters)
        row["status"] = "published" if row["value"] is not None else "withheld"
        if row["value"] is None and metric.devices(days, here) == 0 and insight["kind"] == "count":
            # Such a house says so where nobody was.
            row["status"] = "none"
    insight["withheld_share"] = insight["rest"] = None


def figure(kind, metric, days, here, part, filters):
    """Value, numerator and denominator, as numbers that JSON writes as they are."""
    if kind == "share":
        top, bottom = {**here, **part}, here if part else filters
        if min(metric.devices(days, top), metric.devices(days, bottom)) < K:
            return None, None, None
        above, below = metric.events(days, top), metric.events(days, bottom)
        return float(round(Fraction(above, below), 6)), above, below
    if metric.devices(days, here) < K:
        return None, None, None
    count = metric.events(days, here)
    if kind == "mean":
        spent = Fraction(metric.spent(days, here), 100)
        return float(round(spent / count, 2)), float(spent), count
    return count, None, None
