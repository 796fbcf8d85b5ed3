"""A page as people see it: nothing scrolls sideways, no words lie on words, and axe finds nothing.

THRONG_TEST_SCREENSHOTS names a folder that keeps pictures of the page."""

import base64
import os

from daemon import check, read, write

COLLISIONS = read(os.path.dirname(__file__), "collisions.js")


def dress(browser, name, width, media, scheme, height=900):
    browser.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
    browser.cdp("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.until(f"return matchMedia('(prefers-color-scheme: {scheme})').matches")
    over = browser.run("return document.documentElement.scrollWidth - innerWidth")
    check(over <= 0, name, "scrolls sideways by", over)


def undress(browser):
    """As it is without a look of its own."""
    browser.cdp("Emulation.clearDeviceMetricsOverride")
    browser.cdp("Emulation.setEmulatedMedia", media="", features=[])


def picture(browser, width, top=0, most=None):
    """The page from a line on, with so many at most, as PNG."""
    height = browser.run("return document.documentElement.scrollHeight") - top
    clip = {"x": 0, "y": top, "width": width, "height": min(height, most or height), "scale": 1}
    return base64.b64decode(browser.cdp("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"])


def look(browser, name, width, media, scheme, page):
    dress(browser, name, width, media, scheme)
    collisions = browser.run(COLLISIONS)
    check(not collisions, page, name, "has words on words, or out of their card:", "\n".join(collisions))
    torn = width < 500 and browser.run("return [...document.querySelectorAll(':not(pre) > code')]"
                                       ".filter(each => each.getClientRects().length > 3).map(each => each.textContent)")
    check(not torn, page, name, "tears long words into columns:", torn)
    axe = browser.axe()
    found = axe.run()
    check(not found["violations"], name, "axe:", axe.report(found["violations"]))
    check(len(found["passes"]) > 20, "axe looked at", len(found["passes"]), "rules")
    folder = os.environ.get("THRONG_TEST_SCREENSHOTS")
    if folder:
        os.makedirs(folder, exist_ok=True)
        write(os.path.join(folder, f"{page}-{name}.png"), picture(browser, width))
