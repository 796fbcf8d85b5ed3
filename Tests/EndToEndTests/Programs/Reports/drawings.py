"""The pages of the golden files in Chromium: every kind of chart, with usual numbers and with extreme ones. On each page, light,
dark, 320 pixels wide and printed, axe finds nothing, no word of a drawing lies on another, and nothing scrolls sideways."""

import os

from browser import Browser
from daemon import ROOT, check, say
from paged_house import ALL_LOOKS, pictures

GOLDEN = os.path.join(ROOT, "Tests", "ThrongReportTests", "Golden")
# What has to be on one of the pages: bars, columns, lines, quantiles, a table of shades, and a withheld number in each drawing.
KINDS = ("svg.bars:not(.ranges)", "svg.columns", "svg.lines:not(.spark)", "svg.ranges", "table.heat",
         *(f"{kind} [fill='url(#withheld)']" for kind in ("svg.bars", "svg.columns", "svg.lines", "svg.ranges")))


def test():
    seen = set()
    names = sorted(name for name in os.listdir(GOLDEN) if name.endswith(".html"))
    check(len(names) >= 5, "golden pages:", names)
    with Browser(language="en") as browser:
        for name in names:
            browser.open("file://" + os.path.join(GOLDEN, name))
            pictures(browser, name.removesuffix(".html"), ALL_LOOKS)
            seen |= {kind for kind in KINDS if browser.run("return !!document.querySelector(arguments[0])", kind)}
            say(name)
    check(seen == set(KINDS), "no page has", set(KINDS) - seen)
