"""The numbers of a report's JSON, each with how far it may be off, for programs that judge what is said of them."""

import math
import re


class Insight:
    """One insight's numbers, with how far each may be off."""

    def __init__(self, node, german):
        self.node, self.german, self.kind, self.view = node, german, node["kind"], node["view"]["as"]
        self.within = node["basis"]["margin"]["within"] if node["basis"] else 0
        self.rows = [{**row, "label": " · ".join(row["buckets"])} for row in node["rows"]]
        self.shown = [row for row in self.rows if row["value"] is not None]
        size = math.prod(len(each["buckets"]) for each in node["dimensions"])
        self.withheld = size - len(self.shown) if self.view == "ranking" else sum(row["status"] == "withheld" for row in self.rows)

    def near(self, text, value, scale=1):
        """Whether a number as it is written is a value, to the digit that it shows."""
        text = text.strip("<>% \u00a0\u202f").replace("−", "-").replace("." if self.german else ",", "").replace(",", ".")
        places, zeros = len(text.partition(".")[2]), len(text) - len(text.rstrip("0"))
        unit = 10.0 ** (-places if places or not float(text) else zeros)
        return value is not None and abs(abs(float(text)) - abs(value) * scale) <= unit * 0.5000001

    def named(self, label):
        """The published row that a sentence means, whose band or hour may be said in words."""
        def plain(text):
            text = re.sub(r" times?\b|[.,](?=\d{3})|^from |(?<=^\d\d):00$", "", text.replace("−", "-")).replace("once", "1")
            text = re.sub(r"(?<=\d) [^\d\s]+(?= or more$|$)", "", text.replace(" to ", "-"))
            return re.sub(r"^under (.*)", r"<\1", re.sub(r"^(.*) or more", r">=\1", text))
        return next((row for row in self.shown if label == row["label"] or plain(label) == plain(row["label"])), None)

    def difference(self, later, earlier):
        """The difference of two numbers with its ends, each as far as both may be off."""
        def side(row, key):
            return self.within if "low" not in row or row["low"] is row["high"] is None else (
                abs(row[key] - row["value"]) if row[key] is not None else math.inf)
        gap = later["value"] - earlier["value"]
        return {"difference": gap, "relative": gap / earlier["value"] if earlier["value"] else None,
                "low": gap - math.hypot(side(later, "low"), side(earlier, "high")),
                "high": gap + math.hypot(side(later, "high"), side(earlier, "low"))}

    def is_bounded(self, top):
        """Whether nothing withheld can be larger than a row."""
        if self.kind == "mean" or self.node["part"]:
            return False
        number, whole = (top["numerator"], top["denominator"]) if self.kind == "share" else (
            top["value"], (self.node["whole"] or {"value": None})["value"])
        if self.node["basis"]["counts"] == "devices":
            return number > self.node["basis"]["k"] + self.within
        left = self.node["withheld_share"]
        return whole is not None and number > (max(self.node["basis"]["k"], self.within) if left is None else left * whole)

    def since(self, label):
        """The change of a row, or of all of them, since the first number of a trend or the period that is compared with."""
        if self.view == "change":
            return next((row["change"] for row in self.node["comparisons"][0]["rows"] if " · ".join(row["buckets"]) == label
                         and row["change"]["difference"] is not None), None)
        points, ends = [each for each in self.node["points"] if any(row["value"] is not None for row in each["rows"])], []
        for point in (points[0], self.node["points"][-1]):
            rows = [row for row in point["rows"] if label is None or " · ".join(row["buckets"]) == label]
            if len(rows) > 1:  # A mean of all, and a total of which nobody knows the rest, can't be worked out here.
                if self.kind != "count" or point["withheld_share"] in (None, 1):
                    return None
                rows = [{"value": sum(row["value"] or 0 for row in rows) / (1 - point["withheld_share"])}]
            ends += rows
        return self.difference(ends[1], ends[0]) if len(ends) == 2 and None not in (ends[0]["value"], ends[1]["value"]) else None
