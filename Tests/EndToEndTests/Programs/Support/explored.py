"""The explorer's pages beside what SQL gives the same analyst: table, CSV and text have to agree."""

import collections
import csv
import html.parser
import io
import json
import re
import urllib.parse

from daemon import check, say


class Page(html.parser.HTMLParser):
    """The table of numbers, the SQL and the links of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.heads, self.rows, self.sql = [], [], [], ""
        self.at, self.cell = None, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        if attributes.get("id") in ("numbers", "sql"):
            self.at = attributes["id"]
        if self.at == "numbers":
            if tag == "tr":
                self.rows.append([])
            if tag in ("th", "td"):
                self.rows[-1].append("")
                self.rows[-1] += [None] * (int(attributes.get("colspan", 1)) - 1)

    def handle_endtag(self, tag):
        if self.at == {"table": "numbers", "code": "sql"}.get(tag):
            if self.at == "numbers":
                self.heads, self.rows = self.rows[0], self.rows[1:]
            self.at = None

    def handle_data(self, data):
        if self.at == "sql":
            self.sql += data
        elif self.at == "numbers" and self.rows and self.rows[-1]:
            place = max(i for i, cell in enumerate(self.rows[-1]) if cell is not None)
            self.rows[-1][place] += data.strip("\n")


def grouped(number):
    sign, digits = ("−", number[1:]) if number.startswith("-") else ("", number)
    whole, _, rest = digits.partition(".")
    return sign + f"{int(whole):,}" + ("." + rest if rest else "")


def counted(head):
    """Where the numbers begin: with how many events there were, or how many identifiers."""
    return next(place for place, name in enumerate(head) if name in ("events", "identifiers"))


def shown(page, head, row, hides_period):
    """A row of psql as the page shows it, as far as it is no number that is computed from others."""
    numbers = counted(head)
    sides = row[:1] * (not hides_period) + row[3:numbers]
    # Pages show no character that steers others.
    sides = [re.sub("[\\x00-\\x1f\u202e]", "\ufffd", re.sub("[\t\n\r]", " ", side)) for side in sides]
    named = dict(zip(head, row))
    measures = [name for name in head[numbers:] if name + "_margin" in head]

    def marker(name):
        """What stands in the place of a number."""
        why = named.get(name + "_withheld", named["withheld"])
        return next((word for word in ("withheld", "not told") if why.startswith(word)), why)

    if not any(named[name] for name in measures):
        return sides + [marker("events")] + [None] * (len(page.heads) - len(sides) - 1)
    return sides + [grouped(named[name]) if named[name] else marker(name) for name in measures]


def numbers_address(address, form):
    """Where the numbers of a page are, for programs."""
    names = urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query)
    rest = [(name, value) for name, value in names if name != "metric"]
    return f"/v1/numbers/{dict(names)['metric']}?{urllib.parse.urlencode([*rest, ('format', form)])}"


def defused(text):
    return "'" + text if re.match("[\\s\ufeff]*[=+@\t\r\n-]", text) else text


def compare(house, cookie, address):
    """A page's table, CSV and JSON are what its SQL gives; what is withheld looks the same everywhere. The page, and rows by name."""
    status, headers, body = house.ask("GET", address, cookie)
    check(status == 200, address, "answers", status, body[-2000:])
    text = body.decode()
    page = Page(text)
    head, rows = house.paste(page.sql)
    check(rows, "no rows at", address)
    hides = len({row[0] for row in rows}) == 1 and page.heads[0] != "Period"
    expected = [shown(page, head, row, hides) for row in rows[:1000]]
    found = [line[:len(row)] for line, row in zip(page.rows, expected)]
    check(len(page.rows) == len(expected) and found == expected, address, "shows\n", found[:20], "\nSQL says\n", expected[:20])
    status, headers, body = house.ask("GET", numbers_address(address, "csv"), cookie)
    check(status == 200 and headers["content-type"].startswith("text/csv"), address, status, headers)
    check(headers["content-disposition"].startswith("attachment") and "no-store" in headers["cache-control"], headers)
    check(body.count(b"\r\n") == len(rows) + 1 and body.endswith(b"\r\n"), "lines end with CRLF")
    lines = list(csv.reader(io.StringIO(body.decode(), newline=""), strict=True))
    # Behind what SQL gives, what is computed, and when copies are to be deleted; plans that are gone have no such time.
    check(lines[0][-1] == "delete_by" and all(
        re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)?", line[-1]) and (not line[-1] or line[-1] > line[2])
        for line in lines[1:]), "the time of deletion is in", lines[:3])
    numbers, width = counted(head), len(head)
    wanted = [row[:3] + [defused(cell) for cell in row[3:numbers]] + row[numbers:] for row in rows]
    check(lines[0][:width] == head and [line[:width] for line in lines[1:]] == wanted, address, "as CSV\n", lines[:20], "\nSQL says\n", wanted[:20])
    said = json.loads(house.ask("GET", numbers_address(address, "json"), cookie)[2], parse_float=str, parse_int=str)
    check([column["name"] for column in said["columns"]] == lines[0], address, "as JSON has", said["columns"])
    as_text = [[row[name] or "" for name in lines[0]] for row in said["rows"]]
    check([row[:width] for row in as_text] == rows and [row[width:] for row in as_text] == [line[width:] for line in lines[1:]],
          address, "as JSON\n", said["rows"][:3])
    alike(text, address)
    return page, [dict(zip(head, row)) for row in rows]


def alike(text, address):
    """Withheld cells, bars, gaps and shades differ in their places only."""
    cells = re.findall(r'<td class="n" colspan="\d+">(<span class="withheld-marker">.*?</td>)', text)
    check(len(set(cells)) <= 1, address, "has withheld cells of", set(cells))
    for kind, pattern in (("bars", r"<g>\n<title>.*?</g>"), ("heat", r"<td class=\"withheld\">.*?</td>")):
        marks = [re.sub(r'\b[xy]="[^"]*"|<title>.*?</title>|<text class="label".*?</text>', "", mark)
                 for mark in re.findall(pattern, text, re.DOTALL) if "withheld" in mark]
        check(len(set(marks)) <= 1, address, "has withheld", kind, set(marks))


def crawl(house, cookie, least):
    """Every page that links lead to."""
    queue, seen, withheld = collections.deque(["/explore"]), set(), 0
    while queue:
        address = queue.popleft()
        if address in seen:
            continue
        seen.add(address)
        if address == "/explore":
            page, rows = Page(house.ask("GET", address, cookie)[2].decode()), []
        else:
            page, rows = compare(house, cookie, address)
        withheld += sum(row["withheld"].startswith("withheld") for row in rows)
        # In another order, and over another metric, everything is there again.
        queue.extend(html.unescape(link) for link in page.links
                     if link.startswith("/explore?") and not re.search("[?&;](sort|over)=", link))
        check(len(seen) < 400, "pages without end:", list(seen)[:5])
    check(len(seen) >= least and withheld > 0, "only", len(seen), "pages,", withheld, "withheld rows")
    say(f"{len(seen)} pages, their CSV and JSON are what their SQL gives as throng_analyst; {withheld} withheld rows, all alike")
