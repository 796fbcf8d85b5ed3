"""Makes the documentation's pictures from the shop sample: each page light, dark, 320 pixels wide and on paper.

Usage: pictures.py FOLDER
"""

import base64
import io
import os
import shutil
import subprocess
import sys
import tempfile

from PIL import Image

from browser import Browser
from daemon import check, say
from paged_house import PagedHouse, demonstrate

# Width, height, medium and colour scheme of each; the height is what is seen of it. None is a sheet of paper.
MANNERS = {
    "light": (1200, 1100, "screen", "light"), "dark": (1200, 1100, "screen", "dark"), "narrow": (320, 1100, "screen", "light"),
    "print": None,
}
# Unit: bytes. A picture is on its way to everybody who clones the project.
LARGEST = 150_000


def printed(browser):
    """The first sheet of paper."""
    browser.cdp("Emulation.setEmulatedMedia", media="", features=[])
    pdf = base64.b64decode(browser.cdp("Page.printToPDF", preferCSSPageSize=True, printBackground=True)["data"])
    return subprocess.run(["pdftoppm", "-r", "80", "-f", "1", "-l", "1", "-png"], input=pdf, capture_output=True, check=True).stdout


def keep(png, path):
    """Few colours are enough for pages without photographs, and make small files."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    image.quantize(96, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(path, optimize=True)
    check(os.path.getsize(path) < LARGEST, path, "has", os.path.getsize(path), "bytes")


def take(browser, folder, page, anchor=None):
    """The page that is open, from its top or from an element on."""
    for name, manner in MANNERS.items():
        path = os.path.join(folder, f"{page}-{name}.png")
        if not manner:
            keep(printed(browser), path)
            continue
        width, height, media, scheme = manner
        browser.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        browser.cdp("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])
        over = browser.run("return document.documentElement.scrollWidth - innerWidth")
        check(over <= 0, page, name, "scrolls sideways by", over)
        top = browser.run("return arguments[0] ? document.querySelector(arguments[0]).getBoundingClientRect().top + scrollY - 24 : 0",
                          anchor)
        full = browser.run("return document.documentElement.scrollHeight")
        clip = {"x": 0, "y": top, "width": width, "height": min(height, full - top), "scale": 1}
        data = browser.cdp("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"]
        keep(base64.b64decode(data), path)
    browser.cdp("Emulation.clearDeviceMetricsOverride")
    browser.cdp("Emulation.setEmulatedMedia", media="", features=[])
    say(page)


def enter(browser, house, token):
    """Signs a browser in, by the cookie that the form would have brought."""
    name, _, value = house.cookie(token).partition("=")
    browser.open(house.address + "/")
    browser.cdp("Network.setCookie", name=name, value=value, url=house.address + "/", secure=True, httpOnly=True, path="/")


def test():
    check(len(sys.argv) == 2, "usage: pictures.py FOLDER")
    folder = os.path.abspath(sys.argv[1])
    os.makedirs(folder, exist_ok=True)
    place = tempfile.mkdtemp(prefix="te-pictures-", dir="/tmp")
    os.chmod(place, 0o755)
    demonstrate(os.path.join(place, "demo"), size=("--audience", "4000", "--days", "8"))
    house = PagedHouse(os.path.join(place, "demo")).start()
    with Browser(language="en") as browser:
        browser.open(f"http://127.0.0.1:{house.port}/")
        take(browser, folder, "transparency")
        enter(browser, house, house.token("--partner", "bank"))
        browser.open(house.address + "/reports")
        take(browser, folder, "portal")
        page = browser.run("return document.querySelector('.latest a').pathname")
        browser.click(".compare button")
        browser.until("return location.pathname.endsWith('/compare') && document.readyState === 'complete'")
        take(browser, folder, "comparison")
        browser.open(house.address + page)
        take(browser, folder, "report")
        browser.open(house.address + page)
        take(browser, folder, "insights", "#insight-2")
        enter(browser, house, house.token("--analyst"))
        browser.open(house.address + "/explore?app=shop&metric=purchases&margin=os")
        take(browser, folder, "explorer")
        enter(browser, house, house.token("--operator"))
        browser.open(house.address + "/operator")
        take(browser, folder, "operator")
    check(house.stop() == 0, "SIGTERM ended with", house.process.returncode)
    house.clean()
    shutil.rmtree(place, ignore_errors=True)
    sizes = [os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)]
    say(f"{len(sizes)} pictures, {sum(sizes) // 1000} kB")
