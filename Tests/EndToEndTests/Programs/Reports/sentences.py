"""Each sentence of a report is read and held against the numbers of its JSON: what is the largest, rose, fell or is about the same,
shares, trends, "none" and "too few". Nothing is shared with the writer: how far a number may be off is what the JSON tells. A sentence
that is not understood here is a fault, and so is a word of those who built it. Reports are `throng try`'s, for a rich, a small and a
changing crowd; THRONG_TEST_TRIED names a folder that has their data directories already."""

import collections
import glob
import html
import json
import math
import os
import re
import subprocess
import tempfile

import daemon
from daemon import BINARY, SAMPLE, check, say
from report_numbers import Insight

SHOP = os.path.join(SAMPLE, "shop.yaml")
CROWDS = {"rich": (SHOP, "--audience", "3000"), "small": (SHOP, "--audience", "300"), "changing": (SHOP, "--crowd", SAMPLE)}
FORBIDDEN = re.compile(r"(?<![\w-])(events?|identifiers?|cells?|floors?|bands?|published groups?|k = \d+|chance alone)(?![\w-])", re.I)
NUM, PCT, LABEL, USUAL = r"(−?\d(?:[\d.,]*\d)?)", r"([<>]?−?\d(?:[\d.,]*\d)?\s?%)", r"“([^”]*)”", r" in 19 of 20 cases"
# The end of a sentence: its margin, where it lies, or neither.
END = (rf"(?:; off by at most {NUM}{USUAL}|; (?:the difference is )?(?:between|at least|at most) [^;“]*?{USUAL}"
       r"|; its margin leaves it open)?\.(?=\s|$)")
SIZE = rf"(?:{PCT} \({NUM}\)|{NUM} percentage points|{NUM})"
WHAT = r"(?:is the (?:largest|most frequent|highest)|has the largest)(?: published)?(?: share| group)?|leads(?: the published groups)?"


def superlative(insight, match):
    (shown, label, percent, number), top = match.groups()[:4], insight.named(match[2])
    if top is None:
        return f"there is no {label}"
    gaps = [(row["label"], insight.difference(top, row)) for row in insight.shown if row is not top]
    level = [label for label, gap in gaps if gap["difference"] * 1.2 < gap["difference"] - gap["low"]]
    wrong = not insight.near(percent or number, top["value"], 100 if insight.kind == "share" else 1)
    is_open = not shown and insight.withheld and not insight.is_bounded(top)
    return (level and f"within the margin of {level}" or wrong and f"it is {top['value']}" or is_open and "what is withheld may be larger"
            or shown and not insight.withheld and "nothing is withheld")


def undecided(insight, match):
    rows = [insight.named(label) for label in re.findall(LABEL, match["labels"])]
    gaps = [insight.difference(max(rows, key=lambda row: row["value"]), row) for row in rows] if None not in rows else [None]
    return (None in gaps and "there is no such row") or any(
        gap["difference"] > 3 * (gap["difference"] - gap["low"]) for gap in gaps) and "they are far apart"


def moved(insight, change, words, size):
    """What is wrong with what is said of a change: which way it went, or None for none, and how far."""
    if change is None or change["difference"] is None:
        return insight.view == "change" and "there is no such change"
    gap, low, high = (math.nan if change[key] is None else change[key] for key in ("difference", "low", "high"))
    if words is None:
        return (gap - 2.5 * (gap - low) > 0 or gap + 2.5 * (high - gap) < 0) and f"it is {low} to {high}"
    percent, absolute, points, plain = size
    wrong = [percent and not insight.near(percent, change["relative"], 100), points and not insight.near(points, gap, 100),
             (absolute or plain) and not insight.near(absolute or plain, gap)]
    return ((high >= 0 if words in ("less", "fell") else low <= 0) or any(wrong)) and f"it is {gap}, {low} to {high}, {change['relative']}"


def contributed(insight, match):
    for label, words, *size in re.findall(rf"{LABEL} (rose|fell) by {SIZE}", match[0]):
        changes = {row["label"]: insight.since(row["label"]) for row in insight.shown}
        if fault := moved(insight, changes.get(label := (insight.named(label) or {"label": label})["label"]), words, size):
            return fault
        ends = {name: -each["high"] if words == "fell" else each["low"] for name, each in changes.items() if each and each["low"]}
        if more := [name for name, end in ends.items() if name != label and end > 2 * abs(changes[label]["difference"])]:
            return f"{more} contributed more"
    return None


def against(insight, match):
    change = next(each["rows"][0]["change"] for each in insight.node["comparisons"] if each["period"]["title"] in match[0])
    return moved(insight, change, match[5], match.groups()[:4])


def single(insight, match):
    is_right = insight.shown and insight.near(match["number"], insight.shown[0]["value"], 100 if "%" in match["number"] else 1)
    return not is_right and f"it is {insight.rows[0]['value']}"


def only(insight, match):
    scale = 100 if insight.kind == "share" else 1
    return not (len(insight.shown) == 1 and insight.named(match[1]) is insight.shown[0] and insight.withheld and insight.near(
        match[2] or match[3], insight.shown[0]["value"], scale)) and "it is another, or not the only one"


def spread(insight, match):
    values = [point["rows"][0]["value"] for point in insight.node["points"] if point["rows"][0]["value"] is not None]
    scale = 100 if insight.kind == "share" else 1
    return not (insight.near(match[1], min(values), scale) and insight.near(match[2], max(values), scale)) and f"they are {values}"


def quantiles(insight, match):
    values = [row["value"] for row in insight.shown if row["value"] is not None]
    said = re.findall(rf"under about {NUM}|for “[^”]*” about {NUM}", match[0])
    return any(not any(insight.near(one or other, value) for value in values) for one, other in said) and f"they are {values}"


def funnel(insight, match):
    steps = [(row["of_first"] or {"value": None}, row) for row in insight.shown]
    return not any(insight.near(match["part"], part["value"], 100) and insight.near(match["last"], row["value"]) for part, row in steps)


def of(*statuses):
    return lambda insight, _: any(row["status"] not in statuses for row in insight.rows) and f"there is more than what is {statuses[0]}"


def new(insight, _):
    return any(row["value"] is not None for point in insight.node["points"][:-1] for row in point["rows"]) and "there are earlier numbers"


SENTENCES = [(re.compile(pattern), holds) for pattern, holds in (
    (rf"(?:Of the groups shown, |Margins leave open which of )?(?P<labels>(?:{LABEL}(?:, | and )?)+|\S+ of these|\d+ published rows) "
     rf"(?:are too uncertain to tell which )?(?:{WHAT})(?:: [^;]*?)?{END}", undecided),
    (rf"(Of the groups shown, )?{LABEL} (?:{WHAT})(?: of [^:,]*)?[,:]? (?:with )?(?:about )?(?:{PCT}|{NUM})[^;“]*?"
     rf"(?:, ahead of [^;]*?)?{END}", superlative),
    (rf"Only {LABEL} is shown: (?:about )?(?:{PCT}|{NUM})[^;“]*?{END}", only),
    (rf"That is (?:about the same as|{SIZE} (more|less) than) the [^(]*\([^)]*\), when it was about [^;]*?{END}", against),
    (rf"(?:About |“[^”]*” (?:makes up|was seen on) about )(?P<number>{PCT}|{NUM})[^;“]*?{END}", single),
    (rf"Since [^“]*?, the (?:total|average|share) (?:(rose|fell) by {SIZE}|is about the same)\.(?=\s|$)",
     lambda insight, match: moved(insight, insight.since(None), match[1], match.groups()[1:])),
    (r"Since [^“]*, “[^”]*” (?:rose|fell) by .*?\.(?=\s|$)", contributed),
    (r"Since [^“]*?, every group shown is about the same\.", lambda insight, _: next(filter(None, (
        moved(insight, insight.since(row["label"]), None, ()) for row in insight.shown if insight.since(row["label"]))), None)),
    (rf"Over \d+ \w+, the numbers shown lie between about {NUM}\s?%? and about {NUM}\s?%?\.(?=\s|$)", spread),
    (r"(?:Half|[\d,]+\s?%) of the [\w ]+? were under .*\.", quantiles),
    (rf"Of about {NUM} [^;]*?, about (?P<part>{PCT}) came as far as “[^”]*” \((?P<last>{NUM})\){END}", funnel),
    (r"None.*?: the plan rules that out\.", of("impossible")),
    (r"(?:This|Every) number.*? is withheld: it stands for too few people\.", of("withheld", "impossible")),
    (r"There is nothing to compare with yet\.", new),
    (rf"(?:The other (?:one has|\S+ together have) about [^(]*\({PCT}\)|In week \d+ after their first, .* came back: .*|There (?:are|is) no"
     r" (?:numbers|number|comparison)[^:]*(?:: [^.:]*)?|Too few are shown then and now to compare them|Of \d+ numbers, [^.]*"
     r"|About [^“;]* came at least as far as “[^”]*”|(?:The|Every) change since .*? is withheld: it stands for too few people)"
     r"\.(?=\s|$)", lambda *_: None))]


def faults(insight, text):
    found = []
    for pattern, holds in SENTENCES:
        found += [f"{match[0]} — {fault}" for match in pattern.finditer(text) if (fault := holds(insight, match))]
        text = pattern.sub(" ", text)
    return found + ([f"not understood: {text.strip()}"] if text.strip() else [])


def turned(text):
    """A sentence with the opposite meaning; itself where it says nothing of more or less, or of a total that nobody here knows."""
    return re.sub(r"(?<=” )(?:rose|fell)(?= by)|(?:more|less)(?= than)",
                  lambda match: {"rose": "fell", "fell": "rose", "more": "less", "less": "more"}[match[0]], text)


def read(page):
    """The faults of a report, and the words that it should not have."""
    with open(page, encoding="utf-8") as file, open(page.replace(".html", ".json"), encoding="utf-8") as numbers:
        text, report = file.read(), json.load(numbers)
    sections, found, counted = re.findall(r'<section class="insight".*?</section>', text, re.S), [], {}
    check(len(sections) == len(report["insights"]), page, "has", len(sections), "insights")
    for node, section in zip(report["insights"], sections):
        answer = html.unescape(re.search(r'<p class="answer">(.*?)</p>', section, re.S)[1])
        found += [f"{node['title']}: {fault}" for fault in faults(Insight(node, report["locale"] == "de"), answer)]
        if (other := turned(answer)) != answer:
            check(faults(Insight(node, report["locale"] == "de"), other), "nothing is wrong with", other)
        if node["kind"] in ("count", "reach") and node["basis"] and not node["filters"]:
            if counted.setdefault(node["metric"], node["kind"]) != node["kind"] and " counts " not in section:
                found.append(f"{node['title']}: nothing tells it from the other number of {node['metric']}")
    for place, title in re.findall(r'<li><h3><a href="#insight-(\d+)">(.*?)</a>', text):
        if untold(Insight(report["insights"][int(place) - 1], False), html.unescape(title)):
            found.append(f"{title}: that is not so")
    words = html.unescape(re.sub(r"<[^>]*>", " ", re.sub(r"<style>.*?</style>", "", text, flags=re.S)))
    own = [report["explanation"], *(each[key] for each in report["insights"] for key in ("title", "explanation", "question"))]
    for each in filter(None, own):
        words = words.replace(each, " ")
    return found, [word.lower() for word in FORBIDDEN.findall(words)]


def untold(insight, title):
    """The fault of what is said to stand out: a change, a number beyond all before it, or the step that loses most."""
    told = (label := re.search(rf", {LABEL}: ", title)) and (insight.named(label[1]) or {"label": None})["label"]
    if match := re.search(rf"(?:, {LABEL})?: (up|down) {SIZE} since ", title):
        label, way, size = told, {"up": "more", "down": "less"}[match[2]], match.groups()[2:]
        changes = [insight.since(label)] if insight.view == "trend" else [
            row["change"] for each in insight.node["comparisons"] for row in each["rows"] if " · ".join(row["buckets"]) == (label or "")]
        return not changes or all(moved(insight, change, way, size) for change in changes)
    if match := re.search(rf"(?:, {LABEL})?: (more|less) than in any of the (\d+) ", title):
        *before, now = [row["value"] for point in insight.node["points"][-int(match[3]) - 1:] for row in point["rows"]
                        if " · ".join(row["buckets"]) == (told or "")]
        return len(before) != int(match[3]) or any(value is None or (now > value) != (match[2] == "more") for value in before)
    match = re.fullmatch(rf"The smallest part goes on from {LABEL} to {LABEL}: about {PCT}", title)
    parts = {row["label"]: row["of_previous"]["value"] for row in insight.rows if row.get("of_previous")}
    return not match or not insight.near(match[3], min(parts.values()), 100) or parts[match[2]] != min(parts.values())


def tried(folder, name, options):
    data = os.path.join(os.environ.get("THRONG_TEST_TRIED") or folder, name)
    if not os.path.exists(data):
        done = subprocess.run([BINARY, "try", *options, "--days", "9", "--data", data, "--once"], stdout=subprocess.PIPE,
                              env=daemon.environment(noise=True), stderr=subprocess.STDOUT, text=True, timeout=1800)
        check(done.returncode == 0, "throng try", name, done.stdout[-2000:])
    return sorted(glob.glob(os.path.join(data, "reports", "*", "*.html")))


def test():
    wrong, words = [], collections.Counter()
    with tempfile.TemporaryDirectory(prefix="te-", dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        for name, options in CROWDS.items():
            pages = tried(folder, name, options)
            check(len(pages) >= 6, name, "has", len(pages), "reports")
            for page in pages:
                found, forbidden = read(page)
                wrong += [f"{name}, {os.path.basename(page)}: {fault}" for fault in found]
                words.update(forbidden)
            say(f"{name}: {len(pages)} reports; {len(wrong)} faults and {words.total()} words so far")
    check(not wrong and not words, len(wrong), "faults, words", dict(words), "and first\n" + "\n".join(wrong[:60]))
