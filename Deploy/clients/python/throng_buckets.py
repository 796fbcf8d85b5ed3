"""Coarsens values on the device, by the rules of a public plan, as the daemon would.

Deploy/conform/vectors.json has values of each kind with their buckets. A user agent is not read here: a program knows its own
system, and sends the bucket's name.
"""

from __future__ import annotations

import datetime
import decimal
import re
import unicodedata
import urllib.parse
import zoneinfo
from typing import Any, Callable, Optional, Union

Scalar = Union[str, int, float, bool]

OTHER = "other"
_QUARTER = 900
_TIME = "%Y-%m-%dT%H:%M:%SZ"
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_ADDRESS = re.compile(r"(?P<from>[Hh][Tt]{2}[Pp][Ss]?:/*|[A-Za-z0-9+.-]*://|//)?(?P<host>[^/]*)(?P<path>.*)", re.DOTALL)
_HOURS = re.compile(r"(?:GMT|UTC)?([+-])(\d\d):?(\d\d)|(?:GMT|UTC)([+-])(\d\d?)(?::(\d\d))?", re.ASCII | re.IGNORECASE)
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufe0e\ufe0f\ufeff]")
_AROUND = "".join(map(chr, range(0x21)))


def number(value: Scalar) -> Optional[float]:
    """A number, or a text that is one; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        if not _NUMBER.fullmatch(value):
            return None
        value = float(value)
    value = float(value)
    return value if value - value == 0 else None


def _spelled(value: Scalar) -> Optional[str]:
    """Text as it is, whole numbers in decimal, flags as words; None for the rest."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    return str(int(value)) if float(value).is_integer() and abs(value) < 2**63 else None


def _folded(text: str) -> str:
    """Capital letters of ASCII as small ones, and no others."""
    return "".join(chr(ord(sign) | 0x20) if "A" <= sign <= "Z" else sign for sign in text)


def _groups(rule: dict, value: Scalar, fold: Callable[[str], str] = str) -> str:
    text = _spelled(value)
    if text is None:
        return OTHER
    for group in rule["groups"]:
        if fold(text) in map(fold, [group["label"], *group["values"]]):
            return group["label"]
    return OTHER


def _list(rule: dict, labels: list[str], value: Scalar) -> str:
    return _groups(rule, value)


def _region(rule: dict, labels: list[str], value: Scalar) -> str:
    return _groups(rule, value, _folded)


def _bands(rule: dict, labels: list[str], value: Scalar) -> str:
    found = number(value)
    return OTHER if found is None else labels[sum(edge <= found for edge in rule["edges"])]


def _significant(rule: dict, labels: list[str], value: Scalar) -> str:
    found = number(value)
    if found is None:
        return OTHER
    if found <= 1e-12:
        return labels[0]
    context = decimal.Context(prec=rule["digits"], rounding=decimal.ROUND_HALF_EVEN)
    rounded = context.create_decimal(repr(min(found, 1e18)))
    known = [decimal.Decimal(label) for label in labels if label != OTHER]
    return labels[known.index(min(max(rounded, known[0]), known[-1]))]


def _version(rule: dict, labels: list[str], value: Scalar) -> str:
    if isinstance(value, float) and not value.is_integer():
        # A number such as 17.4 has lost its zeros: its minor part says nothing.
        text = str(int(value)) if rule["level"] == "major" and 0 <= value < 1e15 else ""
    else:
        text = _spelled(value) or ""
    match = re.match(r"(\d+)(?:[._,](\d+))?", text, re.ASCII)
    if not match:
        return OTHER
    label = match[1] if rule["level"] == "major" else f"{match[1]}.{match[2] or 0}"
    return label if label in labels else OTHER


def _screen(rule: dict, labels: list[str], value: Scalar) -> str:
    sides = re.split("[xX]", value, maxsplit=1) if isinstance(value, str) else [value]
    found = [number(side) for side in sides]
    if None in found or min(found) <= 0:
        return OTHER
    side = min(found)
    return "small" if side < rule["medium_from"] else "medium" if side < rule["large_from"] else "large"


def _language(rule: dict, labels: list[str], value: Scalar) -> str:
    match = re.match(r"([A-Za-z]+)(?=[-_.@,;:]|\Z)", value) if isinstance(value, str) else None
    code = _folded(match[1]) if match else ""
    return code if code in rule["known"] else _groups(rule, code)


def _offset(name: str) -> Optional[int]:
    """A time zone's standard offset, which of winter and summer is further west. Unit: minutes."""
    known = {_folded(each): each for each in zoneinfo.available_timezones()}
    if _folded(name) not in known:
        return None
    zone = zoneinfo.ZoneInfo(known[_folded(name)])
    days = (datetime.datetime(2026, month, 15, tzinfo=datetime.timezone.utc) for month in (1, 7))
    return min(int(zone.utcoffset(day).total_seconds()) // 60 for day in days)


def _minutes(text: str) -> Optional[int]:
    """The minutes of an offset such as "+05:30", "+0530" or "GMT+5"."""
    match = _HOURS.fullmatch(text)
    if not match:
        return None
    sign, hours, minutes = match.groups()[:3] if match[1] else match.groups()[3:]
    found = int(hours) * 60 + int(minutes or 0)
    return None if int(minutes or 0) > 59 else -found if sign == "-" else found


def _utc_offset(rule: dict, labels: list[str], value: Scalar) -> str:
    minutes = _minutes(value) if isinstance(value, str) else None
    if minutes is None:
        minutes = number(value)
    if minutes is None and isinstance(value, str):
        minutes = _offset(value)
    hour = None if minutes is None else minutes // 60
    return OTHER if hour is None or not -12 <= hour <= 14 else labels[int(hour + 12) // rule["band_hours"]]


def _time(rule: dict, labels: list[str], value: Scalar) -> str:
    seconds = number(value)
    if seconds is None or not -62_135_510_400 <= seconds <= 253_402_214_400:
        return OTHER
    moment = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(seconds=seconds // 1)
    moment = moment.astimezone(zoneinfo.ZoneInfo(rule["time_zone"]))
    places = {"hour": moment.hour, "day": moment.day - 1, "weekday": moment.weekday(), "week": moment.isocalendar()[1] - 1}
    return labels[places[rule["part"]]]


def _address(text: str) -> re.Match:
    """A URL in its parts, as browsers read it: without query, and with slashes only."""
    text = re.split(r"[?#]", re.sub(r"[\t\n\r]", "", text.strip(_AROUND)), maxsplit=1)[0]
    return _ADDRESS.match(text.replace("\\", "/"))


def _decoded(text: str) -> Optional[str]:
    """A text with its escapes decoded, once; an escaped slash stays apart from others. None for what is no UTF-8."""
    try:
        return unicodedata.normalize("NFC", urllib.parse.unquote(re.sub("%2f", "%00", text, flags=re.I), errors="strict"))
    except UnicodeDecodeError:
        return None


def _segments(path: str) -> list[Optional[str]]:
    """A path as routes are compared: dots resolved, and no segment that is empty; None is a segment that is no text."""
    found: list[str] = []
    for segment in path.split("/")[1:]:
        dots = re.sub("%2e", ".", segment, flags=re.I)
        if dots == "..":
            found = found[:-1]
        elif dots != ".":
            found.append(segment)
    return [text for text in (_decoded(segment.split(";")[0]) for segment in found) if text != ""]


def _host_name(host: str) -> str:
    """A host in Unicode, in small letters."""
    def folded(text: str) -> str:
        small = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text).replace("\u3002", "."))
        small = "".join(sign.lower() for sign in small)
        return unicodedata.normalize("NFKC", small)

    def label(text: str) -> str:
        try:
            return folded(text[4:].encode("ascii").decode("punycode")) if text.startswith("xn--") else text
        except UnicodeError:
            return text

    return ".".join(label(each) for each in folded(_decoded(host) or "").removesuffix(".").split("."))


def _host(rule: dict, labels: list[str], value: Scalar) -> str:
    if not isinstance(value, str):
        return OTHER
    host = _host_name(re.sub(r":[0-9]*\Z", "", _address(value)["host"].rsplit("@", 1)[-1]))
    return next((known for known in rule["known"] if _host_name(known) == host), OTHER)


def _route(rule: dict, labels: list[str], value: Scalar) -> str:
    match = _address(value) if isinstance(value, str) else None
    if not match or not match["from"] and not match["path"]:
        return OTHER
    path = _segments(match["path"])
    templates = [(template, _segments(template)) for template in rule["templates"]]
    same = [template for template, parts in templates if parts == path]
    return next((template for template, parts in templates if template in same or not same and _matches(parts, path)), OTHER)


def _matches(parts: list[Optional[str]], path: list[Optional[str]]) -> bool:
    """Whether a path is of a template such as /product/:id or /docs/*."""
    is_open = parts[-1:] == ["*"]
    parts = parts[:-1] if is_open else parts
    if len(path) < len(parts) or len(path) > len(parts) and not is_open:
        return False
    return all(part.startswith(":") or part == segment for part, segment in zip(parts, path))


def _file_type(rule: dict, labels: list[str], value: Scalar) -> str:
    if not isinstance(value, str):
        return OTHER
    address = _ADDRESS.match(value)
    name = (_segments(_address(value)["path"])[-1:] or [""])[0] or "" if address["from"] else re.split(r"[/\\]", value)[-1]
    stem, dot, extension = name.rpartition(".")
    return _groups(rule, "*." + extension, _folded) if dot and stem else OTHER


_KINDS: dict[str, Callable[[dict, list[str], Scalar], str]] = {
    "list": _list, "region": _region, "bands": _bands, "powers": _bands, "significant_figures": _significant,
    "version": _version, "screen": _screen, "language": _language, "utc_offset": _utc_offset, "time": _time, "host": _host,
    "route": _route, "file_type": _file_type,
}


def bucket(rule: dict, labels: list[str], value: Scalar) -> Optional[str]:
    """The bucket of a value; None for a kind that this client does not coarsen by.

    - rule: `dimensions[].rule` of the public plan.
    - labels: `dimensions[].buckets`.
    """
    if isinstance(value, str) and value in labels:
        return value
    kind = _KINDS.get(rule["kind"])
    return kind(rule, labels, value) if kind else None


def coarse(readers: list[dict[str, Any]], value: Scalar) -> Optional[str]:
    """The label that says a value's bucket to all dimensions that read its field; None where none does."""
    found = [bucket(reader["rule"], reader["buckets"], value) for reader in readers]
    for label in found:
        if label is not None and all(
                bucket(reader["rule"], reader["buckets"], label) == known for reader, known in zip(readers, found)):
            return label
    return None


def quarter(at: float) -> str:
    """The quarter of an hour that holds an instant, in RFC 3339: a period is never cut by one, in any time zone."""
    return datetime.datetime.fromtimestamp(at // _QUARTER * _QUARTER, datetime.timezone.utc).strftime(_TIME)


def period_of(kind: str, at: float, time_zone: str) -> str:
    """The hour, day, week or month that holds an instant, by the clocks of a time zone."""
    shapes = {"hour": "%Y-%m-%dT%H%z", "day": "%Y-%m-%d", "week": "%G-W%V", "month": "%Y-%m"}
    return datetime.datetime.fromtimestamp(at, zoneinfo.ZoneInfo(time_zone)).strftime(shapes[kind])


def instant(text: str) -> float:
    """The unix time that `quarter` wrote. Unit: seconds."""
    return datetime.datetime.strptime(text, _TIME).replace(tzinfo=datetime.timezone.utc).timestamp()
