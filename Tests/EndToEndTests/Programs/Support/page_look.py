"""A page as people see it: nothing scrolls sideways, no words lie on words, and axe finds nothing.

THRONG_TEST_SCREENSHOTS names a folder that keeps pictures of the page.
"""

import base64
import os

from daemon import check

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


def look(browser, name, width, media, scheme, page="transparency"):
    browser.cdp("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    browser.cdp("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.until("return matchMedia(`(prefers-color-scheme: ${arguments[0]})`).matches".replace("arguments[0]", f"'{scheme}'"))
    over = browser.run("return document.documentElement.scrollWidth - innerWidth")
    check(over <= 0, name, "scrolls sideways by", over)
    collisions = browser.run(COLLISIONS)
    check(not collisions, page, name, "has words on words, or out of their card:", "\n".join(collisions))
    axe = browser.axe()
    found = axe.run()
    check(not found["violations"], name, "axe:", axe.report(found["violations"]))
    check(len(found["passes"]) > 20, "axe looked at", len(found["passes"]), "rules")
    folder = os.environ.get("THRONG_TEST_SCREENSHOTS")
    if folder:
        os.makedirs(folder, exist_ok=True)
        height = browser.run("return document.documentElement.scrollHeight")
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        image = browser.cdp("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"]
        with open(os.path.join(folder, f"{page}-{name}.png"), "wb") as file:
            file.write(base64.b64decode(image))
