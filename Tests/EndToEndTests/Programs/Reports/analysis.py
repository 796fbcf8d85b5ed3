"""The five questions of readers.md's analyst, each in one step by explorer, SQL and API; and a number is the same wherever it is read:
in SQL, JSON, CSV, a workbook and frames of pandas and polars. The notebook of throng-analysis runs, and the portal's OpenAPI holds."""

import decimal
import io
import json
import os
import sys
import urllib.parse
import xml.etree.ElementTree
import zipfile

import api
import daemon
from daemon import check, say, temporary
from explored import Page, grouped
from paged_house import PagedHouse, demonstrate

sys.path[:0] = [api.PACKAGES, os.path.join(daemon.ROOT, "Deploy", "clients", "analysis")]
import pandas  # noqa: E402
from described import Description  # noqa: E402
from throng_analysis import Numbers, Overlap, Refused, Throng  # noqa: E402

# What is asked, the API's address, its column of the answer, and one statement of SQL with labels and answers.
QUESTIONS = {
    "conversion by system": ("purchases", {"grouping": "os", "over": "product_views"}, "os", "over_product_views", """
        select part.os, round(analyst.share(part.events, whole.events), 6)
        from analyst.shop_purchases_by_os as part join analyst.shop_product_views_by_os as whole using (period, os)
        where period = (select max(period) from analyst.shop_purchases_total)"""),
    "trend by week": ("visits", {"grouping": "(total)", "kind": "week", "last": "2"}, "period", "events", """
        select to_char(local_date, 'IYYY"-W"IW'), analyst.total(events, withheld)
        from analyst.shop_visits_total group by 1 having count(*) = 7 order by 1 desc limit 2"""),
    "most viewed": ("pages", {"grouping": "page", "sort": "events"}, "page", "events", """
        select page, events from analyst.shop_pages_by_page where period = (select max(period) from analyst.shop_pages_total)"""),
    "new against returning": ("purchases", {"grouping": "lifecycle"}, "lifecycle", "events", """
        select lifecycle, events from analyst.shop_purchases_by_lifecycle
        where period = (select max(period) from analyst.shop_purchases_total)"""),
    "share of Android": ("product_views", {"grouping": "os"}, "os", "share", """
        select part.os, round(analyst.share(part.events, whole.events), 6)
        from analyst.shop_product_views_by_os as part join analyst.shop_product_views_total as whole using (period)
        where period = (select max(period) from analyst.shop_product_views_total)"""),
}


def questions(house, cookie, token):
    for what, (metric, asked, label, column, sql) in QUESTIONS.items():
        by_sql = {row[0]: decimal.Decimal(row[1]) for row in house.sql("set role throng_analyst;" + sql) if row[1]}
        query = urllib.parse.urlencode(asked)
        status, _, body = house.ask("GET", f"/v1/numbers/{metric}?{query}", authorization=f"Bearer {token}")
        check(status == 200, what, "is answered with", status, body[:500])
        rows = json.loads(body, parse_float=decimal.Decimal)["rows"]
        by_api = {row[label]: decimal.Decimal(row[column]) for row in rows if row[column] is not None}
        check(by_api.keys() == by_sql.keys() and len(by_api) > 1, what, by_api, "and by SQL", by_sql)
        check(all(abs(by_api[key] - by_sql[key]) <= decimal.Decimal("0.000001") for key in by_api), what, by_api, "and by SQL", by_sql)
        page = Page(house.ask("GET", f"/explore?app=shop&metric={metric}&{query}", cookie)[2].decode())
        numbers = [grouped(str(row[column])) if column == "events" else None for row in rows if row[column] is not None]
        shown = [line for line in page.rows if any(cell and (cell in numbers or cell.endswith("%")) for cell in line)]
        check(len(shown) >= len(by_api), what, "shows", page.rows, "for", by_api)
    check("Android" in by_api, "Android's share is", by_api)
    say(f"{len(QUESTIONS)} questions have one answer by explorer, SQL and API, in one step each")


def sheet(body):
    """The cells of a workbook's only sheet, by row: texts, and numbers to the 15 digits that spreadsheets have."""
    with zipfile.ZipFile(io.BytesIO(body)) as book:
        space = {"x": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
        texts = ["".join(part.itertext()) for part in xml.etree.ElementTree.fromstring(book.read("xl/sharedStrings.xml"))]
        rows = []
        for row in xml.etree.ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml")).iterfind(".//x:row", space):
            cells = [(cell.get("r"), cell.get("t"), cell.findtext("x:v", namespaces=space)) for cell in row.iterfind("x:c", space)]
            rows.append({place.rstrip("0123456789"): texts[int(value)] if kind == "s" else value and decimal.Decimal(f"{float(value):.15g}")
                         for place, kind, value in cells})
        return rows


def exports(house, token, shop):
    """Every number that there is, by every way out."""
    compared = 0
    for metric in shop.metrics():
        for kind in metric["kinds"]:
            for grouping in kind["groupings"]:
                query = urllib.parse.urlencode({"grouping": grouping, "kind": kind["kind"], "from": kind["from"]})
                bodies = {}
                for form in ("json", "csv", "xlsx"):
                    status, _, bodies[form] = house.ask(
                        "GET", f"{metric['href']}&{query}&format={form}", authorization=f"Bearer {token}")
                    check(status == 200, metric["metric"], grouping, form, status, bodies[form][:300])
                exact = json.loads(bodies["json"], parse_float=decimal.Decimal)
                names = [column["name"] for column in exact["columns"]]
                head, pasted = house.paste(exact["sql"])
                by_csv = pandas.read_csv(io.BytesIO(bodies["csv"]), dtype="string", keep_default_na=False)
                cells = sheet(bodies["xlsx"])
                first = next(place for place, row in enumerate(cells) if row.get("A") == "period")
                numbers = shop.numbers(metric["metric"], grouping=[] if grouping == "(total)" else grouping.split(", "),
                                       kind=kind["kind"], first=kind["from"])
                frames = numbers.pandas(), numbers.polars()
                check(list(by_csv) == names == list(frames[0]) == frames[1].columns and names[:len(head)] == head, "columns are", names)
                for place, row in enumerate(exact["rows"]):
                    check(str(frames[0]["local_date"][place].date()) == row["local_date"] == str(frames[1]["local_date"][place]), row)
                    for at, name in enumerate(names):
                        value, written = row[name], by_csv[name][place]
                        if name in head:
                            check((pasted[place][head.index(name)] or None) == (None if value is None else str(value)), name, row, pasted[place])
                        found = cells[first + 1 + place].get(("A" if at > 25 else "") + chr(65 + at % 26))
                        if not isinstance(value, (int, decimal.Decimal)):
                            check((written or None) == value and (found or None) == value, name, "is", value, written, found)
                            continue
                        check(decimal.Decimal(written) == value == found, name, "is", value, written, found)
                        check(float(value) == float(frames[0][name][place]) == float(frames[1][name][place]), name, value)
                        compared += 1
    check(compared >= 10_000, "only", compared, "numbers were compared")
    say(f"{compared} numbers are the same in SQL, JSON, CSV, xlsx, pandas and polars, each row on its local date")


def package(house, token, shop):
    """The package refuses what would count twice, and the notebook answers its questions."""
    both = shop.numbers("product_views", grouping=["os"], last=3)
    for refused in (lambda: both.total("devices"), lambda: both.and_(shop.numbers("product_views", grouping=[]))):
        try:
            check(not refused(), "something was counted twice")
        except Overlap:
            continue
    try:
        check(not shop.numbers("nothing"), "there is no such metric")
    except Refused as problem:
        check(problem.status == 404 and any("purchases" in each for each in problem.allowed), problem)
    whole = shop.numbers("product_views", grouping=[], last=3)
    [(_, total)] = whole.total("events")
    day = whole.rows[0]["events_margin"]
    check(total.value == sum(row["events"] for row in whole) and abs(total.margin - day * 6 ** 0.5) < 2, "three days are", total)
    mixed = Numbers({**whole.answer, "sampling": [0.5, 1]})
    check(mixed.total("events")[0][1].value is None, "days of two sampling rates have a sum")
    check(all(total.value for _, total in mixed.total("events", by=["period"])), "a day of one sampling rate has none")
    os.environ.update(THRONG_PORTAL=house.address, THRONG_TOKEN=token)
    cells = json.loads(daemon.read(daemon.ROOT, "Deploy", "clients", "analysis", "sample.ipynb"))["cells"]
    scope = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), scope)  # noqa: S102
    check(len(scope["trend"]) >= 2 and scope["trend"]["events"].notna().all(), "the trend is", scope["trend"])
    say("the notebook runs; sums that would count twice are refused")


def described(house, token):
    """Each answer is as the portal's document says, and random requests find no other and no 5xx but 503."""
    document = json.loads(house.ask("GET", "/v1/openapi.json")[2])
    api.validate(document)
    description = Description(document)
    bearer = {"authorization": f"Bearer {token}"}
    for path, headers in (("/v1/numbers", bearer), ("/v1/numbers/purchases?last=2", bearer), ("/v1/numbers/nothing", bearer),
                          ("/v1/numbers/purchases?kind=year", bearer), ("/v1/numbers", {}),
                          ("/v1/numbers", {"authorization": f"Bearer {house.token('--operator')}"})):
        description.check("GET", path, *house.ask("GET", path, **headers))
    api.schemathesis(house, port=house.portal_port, least=50, header=("--header", f"Authorization: Bearer {token}"))


def test():
    data = os.path.join(temporary(), "demo")
    demonstrate(data, size=("--audience", "4000", "--days", "24"))
    house = PagedHouse(data).start()
    token = house.token("--analyst")
    questions(house, house.cookie(token), token)
    shop = Throng(house.address, token)
    exports(house, token, shop)
    package(house, token, shop)
    described(house, token)
    check(house.stop() == 0, "serve stops gracefully")
