"""The pages of the golden files in Chromium: every kind of chart, with usual numbers and with extreme ones. On each page, light,
dark, 320 pixels wide and printed, axe finds nothing, no word of a drawing lies on another, and nothing scrolls sideways. The shop's report
takes six screens of a phone at most; on paper no page but the last is half empty or ends with a heading."""

import base64
import os
import re
import subprocess

from browser import Browser
from daemon import ROOT, check, say
from page_look import dress
from paged_house import ALL_LOOKS, pictures

GOLDEN = os.path.join(ROOT, "Tests", "ThrongReportTests", "Golden")
# What has to be on one of the pages: bars, lines, quantiles, a table of shades, and a withheld number in each drawing.
KINDS = ("svg.bars:not(.ranges)", "svg.lines:not(.spark)", "svg.ranges", "table.heat",
         *(f"{kind} [fill='url(#withheld)']" for kind in ("svg.bars", "svg.lines", "svg.ranges")))


def on_paper(browser, name):
    pdf = base64.b64decode(browser.cdp("Page.printToPDF", preferCSSPageSize=True, printBackground=True)["data"])
    words = subprocess.run(["pdftotext", "-bbox", "-", "-"], input=pdf, capture_output=True, check=True).stdout.decode()
    headings = browser.run("return [...document.querySelectorAll('h2')].map(each => each.textContent.trim())")
    for place, page in enumerate(words.split("<page ")[1:-1]):
        # A margin of 15 mm above and below. Unit: points.
        found = [(float(low), word) for low, word in re.findall(r'yMax="([\d.]+)">(.*?)</word>', page)]
        low = max(found)[0]
        line = " ".join(word for height, word in found if height > low - 2)
        is_alone = any(heading.endswith(line) for heading in headings)
        check((low - 42.5) / 757 > 0.55 and not is_alone, name, "page", place + 1, "ends at", low, "with", line)


def test():
    seen = set()
    names = sorted(name for name in os.listdir(GOLDEN) if name.endswith(".html"))
    check(len(names) >= 5, "golden pages:", names)
    with Browser(language="en") as browser:
        for name in names:
            browser.open("file://" + os.path.join(GOLDEN, name))
            pictures(browser, name.removesuffix(".html"), ALL_LOOKS)
            if "extremes" not in name:
                on_paper(browser, name)
            if "shop" in name:
                dress(browser, name, 390, "screen", "light", 844)
                check(browser.run("return document.documentElement.scrollHeight") <= 6 * 844, name + " is long")
            seen |= {kind for kind in KINDS if browser.run("return !!document.querySelector(arguments[0])", kind)}
            say(name)
    check(seen == set(KINDS), "no page has", set(KINDS) - seen)
