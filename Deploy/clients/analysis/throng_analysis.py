"""Released numbers of Throng in Python: rows with their margins, as lists, pandas or polars; sums that know how far off they are.

    from throng_analysis import Throng

    shop = Throng("https://portal.example.com")            # with the token in THRONG_TOKEN
    sales = shop.numbers("purchases", grouping=["os"], last=8)
    sales.pandas()                                         # a frame: numbers, margins, reasons
    sales.total("events", by=["os"])                       # one sum a system over eight days, each with its margin

A number that is missing is None, with its reason beside it: a sum over it would pass for the whole, so it is missing, too. Devices
are never added: one may be in two rows. Rows of two groupings overlap, so they are never put together.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Iterable, Iterator, Mapping, Optional, Sequence

__all__ = ["Numbers", "Overlap", "Refused", "Throng", "Total", "quotient"]


class Refused(Exception):
    """The daemon's answer to what it can't answer: what was found and what to do. `allowed` lists what it takes."""

    def __init__(self, status: int, detail: str, allowed: Sequence[str] = ()):
        super().__init__(detail + (" " + ", ".join(allowed) if allowed else ""))
        self.status, self.allowed = status, list(allowed)


class Overlap(ValueError):
    """A sum that would count something twice."""


@dataclasses.dataclass(frozen=True)
class Total:
    """A sum. 19 of 20 lie within `margin` of what was counted; `is_bound` where that may be less, and nobody can say by how much."""

    value: Optional[float]
    margin: Optional[float]
    reason: Optional[str] = None
    is_bound: bool = False


class Throng:
    """A portal, as an analyst's token opens it: `throng token new --analyst` makes one."""

    def __init__(self, address: str, token: Optional[str] = None, timeout: float = 60):
        self.address, self.timeout = address.rstrip("/"), timeout
        self.token = token or os.environ.get("THRONG_TOKEN", "")
        local = urllib.parse.urlsplit(address).hostname in ("localhost", "127.0.0.1", "::1")
        if not address.startswith("https://") and not local:
            raise ValueError("The address has to begin with https://, but for this machine's own: the token is in each request.")

    def metrics(self) -> list[dict[str, Any]]:
        """What can be asked for: one entry a layout of a metric, with its measures, periods and groupings."""
        return self._ask("/v1/numbers")["metrics"]

    def numbers(self, metric: str, grouping: Optional[Iterable[str]] = None, where: Optional[Mapping[str, str]] = None,
                **asked: Any) -> Numbers:
        """Numbers of one grouping, all parts of them.

        `grouping` are the dimensions that rows are split by, none for the total; `where` confines rows to a bucket of each. More may
        be asked: app, layout, kind ("day", "week" …), first, to, last, sort, over (another metric).
        """
        query = {"from" if name == "first" else name: str(value) for name, value in asked.items() if value is not None}
        if grouping is not None:
            query["grouping"] = ", ".join(grouping) or "(total)"
        query.update({f"at.{name}": bucket for name, bucket in (where or {}).items()})
        address: Optional[str] = f"/v1/numbers/{urllib.parse.quote(metric, safe='')}?{urllib.parse.urlencode(query)}"
        rows: list[dict[str, Any]] = []
        answer: dict[str, Any] = {}
        while address:
            answer = self._ask(address)
            rows += answer["rows"]
            address = answer["next"]
        return Numbers({**answer, "rows": rows})

    def _ask(self, path: str) -> dict[str, Any]:
        request = urllib.request.Request(
            self.address + path, headers={"Authorization": f"Bearer {self.token}", "Accept": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            kind = error.headers.get("Content-Type", "")
            problem = json.load(error) if kind.startswith("application/problem+json") else {}
            raise Refused(error.code, problem.get("detail", f"The portal answers {error.code}."), problem.get("allowed", ())) from None


class Numbers:
    """Rows of one grouping of a metric, of which no two overlap."""

    def __init__(self, answer: dict[str, Any]):
        self.answer = answer
        self.rows: list[dict[str, Any]] = answer["rows"]
        self.columns = {column["name"]: column for column in answer["columns"]}
        self.grouping: list[str] = answer["grouping"]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def pandas(self) -> Any:
        """A DataFrame: whole numbers as Int64, others as Float64, dates as datetimes; what is missing is NA."""
        import pandas

        frame = pandas.DataFrame(self.rows, columns=list(self.columns))
        for name, column in self.columns.items():
            if name == "local_date" or column["kind"] == "time":
                frame[name] = pandas.to_datetime(frame[name], utc=name != "local_date")
            elif column["kind"] in ("period", "bucket", "reason"):
                frame[name] = frame[name].astype("string")
            else:
                is_whole = all(row[name] is None or isinstance(row[name], int) for row in self.rows)
                frame[name] = frame[name].astype("Int64" if is_whole else "Float64")
        return frame

    def polars(self) -> Any:
        """The same as a polars DataFrame."""
        import polars

        def values(name: str) -> list[Any]:
            return [row[name] for row in self.rows]

        series = []
        for name, column in self.columns.items():
            if name == "local_date":
                series.append(polars.Series(name, values(name), dtype=polars.String).str.to_date())
            elif column["kind"] == "time":
                series.append(polars.Series(name, values(name), dtype=polars.String).str.to_datetime(time_zone="UTC"))
            elif column["kind"] in ("period", "bucket", "reason"):
                series.append(polars.Series(name, values(name), dtype=polars.String))
            else:
                is_whole = all(each is None or isinstance(each, int) for each in values(name))
                series.append(polars.Series(name, values(name), dtype=polars.Int64 if is_whole else polars.Float64))
        return polars.DataFrame(series)

    def and_(self, other: Numbers) -> Numbers:
        """These rows and others of the same grouping, such as those of other periods. Rows that overlap are refused."""
        for name in ("app", "metric", "layout", "kind", "grouping"):
            if self.answer[name] != other.answer[name]:
                raise Overlap(f"They differ in {name}: {self.answer[name]} and {other.answer[name]}. Their rows overlap, or are of"
                              " two kinds; ask for both in one grouping.")
        both = {self._key(row) for row in self.rows} & {self._key(row) for row in other.rows}
        if both:
            raise Overlap(f"{len(both)} rows are in both.")
        shared = [name for name in self.columns if name in other.columns]
        rows = [{name: row[name] for name in shared} for row in [*self.rows, *other.rows]]
        sampling = sorted({*self.answer.get("sampling", ()), *other.answer.get("sampling", ())})
        return Numbers({**self.answer, "columns": [self.columns[name] for name in shared], "rows": rows, "sampling": sampling})

    def total(self, measure: str, by: Sequence[str] = ()) -> list[tuple[tuple[str, ...], Total]]:
        """Sums of a measure: one for all rows, or one for each combination of these columns ("period", dimensions), in their order.

        A sum of which a part is missing is missing: its reason says why. What cannot occur counts as 0.
        """
        column = self._summable(measure)
        return self._totals(column, by)

    def quotient(self, measure: str, part: Mapping[str, str], whole: Mapping[str, str]) -> Total:
        """One sum over another of these rows: those with these buckets, or of this "period", over those with those.

        Rows may be in both. What their noise has in common is reckoned with.
        """
        column = self._summable(measure)
        chosen = [[row for row in self.rows if all(row[name] == bucket for name, bucket in wanted.items())] for wanted in (part, whole)]
        if self._mixes([*chosen[0], *chosen[1]]):
            return Total(None, None, self._MIXED)
        one, all_ = (self._total(column, rows) for rows in chosen)
        if one.margin is None or all_.margin is None or one.is_bound or all_.is_bound or not all_.value:
            return quotient(one, all_)
        sizes = [self.columns[name]["buckets"] for name in self.grouping]
        common = sum(self._covariance(a, b, column["margin"], sizes) for a in chosen[0] for b in chosen[1]
                     if a[column["margin"]] is not None and b[column["margin"]] is not None)
        value = one.value / all_.value
        variance = one.margin**2 + value**2 * all_.margin**2 - 2 * value * common
        return Total(value, math.sqrt(max(variance, 0)) / abs(all_.value))

    _MIXED = "they count different shares of what happened: ask for the periods of one sampling rate"

    def _mixes(self, rows: Sequence[Mapping[str, Any]]) -> bool:
        """True if rows are of several periods, and these may be sampled at different rates."""
        return len(self.answer.get("sampling", ())) > 1 and len({row["period_start"] for row in rows}) > 1

    def _summable(self, measure: str) -> dict[str, Any]:
        column = self.columns.get(measure)
        if column is None or not column.get("adds"):
            summable = [name for name, each in self.columns.items() if each.get("adds")]
            raise Overlap(f"{measure} can't be added: the same device may be in two rows. Ask for a grouping or a period that has the"
                          f" number itself. What can be added: {', '.join(summable)}.")
        return column

    def _totals(self, column: Mapping[str, Any], by: Sequence[str]) -> list[tuple[tuple[str, ...], Total]]:
        wrong = [name for name in by if name != "period" and name not in self.grouping]
        if wrong:
            raise KeyError(f"There is no {', '.join(wrong)} among {', '.join(['period', *self.grouping])}.")
        groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
        for row in self.rows:
            groups.setdefault(tuple(row[name] for name in by), []).append(row)
        return [(key, self._total(column, rows)) for key, rows in groups.items()]

    def _key(self, row: Mapping[str, Any]) -> tuple[Any, ...]:
        return (row["period_start"], *(row[name] for name in self.grouping))

    def _total(self, column: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Total:
        counted = [row for row in rows if row[column["reason"]] != "cannot occur"]
        for row in counted:
            if row[column["name"]] is None:
                return Total(None, None, row[column["reason"]] or "not told")
        if self._mixes(rows):
            return Total(None, None, self._MIXED)
        value = sum(row[column["name"]] for row in counted)
        margins = [row[column["margin"]] for row in counted]
        if any(margin is None for margin in margins):
            return Total(value, None, "a margin is not told")
        sizes = [self.columns[name].get("buckets") for name in self.grouping]
        if None in sizes and len(counted) > 1:
            # Of a dimension that is made of another one nobody here knows how its noise was drawn. It can't be wider than this.
            return Total(value, sum(margins), is_bound=True)
        variance = sum(
            self._covariance(one, other, column["margin"], sizes) for one in counted for other in counted)
        return Total(value, math.sqrt(max(variance, 0)))

    def _covariance(self, one: Mapping[str, Any], other: Mapping[str, Any], margin: str, sizes: Sequence[int]) -> float:
        """What two numbers' noise has in common, in units of margins, by the law of the Margins page.

        Over a dimension of n buckets two numbers of one bucket have 1 + 1/n² of the total's variance in common, two of different ones
        1/n² - 1/(n - 1). Half of the noise stays from period to period, and the wider has the narrower in it.
        """
        factor = 1.0
        for name, size in zip(self.grouping, sizes):
            if size > 1:
                own = 1 + 1 / size**2
                factor *= 1 if one[name] == other[name] else (1 / size**2 - 1 / (size - 1)) / own
        if one["period_start"] == other["period_start"]:
            return one[margin] * other[margin] * factor
        return min(one[margin], other[margin]) ** 2 / 2 * factor


def quotient(part: Total, whole: Total) -> Total:
    """One sum over another of a different metric, such as purchases over visits: their noise is drawn by itself, so margins add in
    quadrature. `Numbers.quotient` is for two sums of one metric."""
    if part.value is None or whole.value is None:
        return Total(None, None, part.reason or whole.reason)
    if whole.value == 0:
        return Total(None, None, "it would be divided by 0")
    value = part.value / whole.value
    if part.margin is None or whole.margin is None:
        return Total(value, None, "a margin is not told")
    return Total(value, math.hypot(part.margin, value * whole.margin) / abs(whole.value), is_bound=part.is_bound or whole.is_bound)
