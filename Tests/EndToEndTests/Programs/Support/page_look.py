"""A page as people see it: nothing scrolls sideways, no words lie on words, and axe finds nothing.

THRONG_TEST_SCREENSHOTS names a folder that keeps pictures of the page."""

import base64
import os

from daemon import check, write

# Words of a drawing that lie on other words of it, or out of the card that it stands on. What is slanted is compared as it
# is, not by the upright box around it. Letters rarely fill their box: a pixel and a half on each side are no collision.
COLLISIONS = """
    const corners = text => {
        const box = text.getBBox(), matrix = text.getScreenCTM()
        return [[box.x, box.y], [box.x + box.width, box.y], [box.x + box.width, box.y + box.height], [box.x, box.y + box.height]]
            .map(([x, y]) => new DOMPoint(x, y).matrixTransform(matrix))
    }
    const apart = (one, two) => [one, two].some(shape => [0, 1].some(side => {
        const [x, y] = [shape[side + 1].y - shape[side].y, shape[side].x - shape[side + 1].x]
        const length = Math.hypot(x, y) || 1
        const [left, right] = [one, two].map(each => each.map(point => (point.x * x + point.y * y) / length))
        return Math.max(...left) - 1.5 < Math.min(...right) + 1.5 || Math.max(...right) - 1.5 < Math.min(...left) + 1.5
    }))
    const found = []
    for (const chart of document.querySelectorAll('.chart')) {
        const texts = [...chart.querySelectorAll('svg text')]
            .filter(text => text.textContent.trim() && getComputedStyle(text).display !== 'none')
            .map(text => ({words: text.textContent, corners: corners(text)}))
        const card = chart.closest('.insight, main, body').getBoundingClientRect()
        for (const {words, corners} of texts)
            if (corners.some(point => point.x < card.left - 1.5 || point.x > card.right + 1.5)) found.push(words)
        texts.forEach((one, place) => {
            for (const two of texts.slice(place + 1))
                if (!apart(one.corners, two.corners)) found.push(one.words + ' | ' + two.words)
        })
    }
    return found"""


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
