"""Makes the documentation's pictures from the shop sample: each page light, dark, 320 pixels wide and on paper.

Usage: page_pictures FOLDER"""

import base64
import io
import os
import subprocess
import sys

from PIL import Image

from browser import Browser
from daemon import check, environment, say, temporary
from page_look import dress, picture, undress
from paged_house import PagedHouse, demonstrate, enter

# Width and colour scheme of each that is not a sheet of paper, and what is seen of its height.
MANNERS = {"light": (1200, "light"), "dark": (1200, "dark"), "narrow": (320, "light")}
HEIGHT = 1100
# Unit: bytes. A picture is on its way to everybody who clones the project.
LARGEST = 150_000


def printed(browser):
    """The first sheet of paper."""
    undress(browser)
    pdf = base64.b64decode(browser.cdp("Page.printToPDF", preferCSSPageSize=True, printBackground=True)["data"])
    return subprocess.run(["pdftoppm", "-r", "80", "-f", "1", "-l", "1", "-png"], input=pdf, capture_output=True, check=True).stdout


def keep(png, path):
    """Few colours are enough for pages without photographs, and make small files."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    image.quantize(96, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(path, optimize=True)
    check(os.path.getsize(path) < LARGEST, path, "has", os.path.getsize(path), "bytes")


def take(browser, folder, page, anchor=None):
    """The page that is open, from its top or from an element on."""
    for name, (width, scheme) in MANNERS.items():
        dress(browser, f"{page} {name}", width, "screen", scheme, HEIGHT)
        top = browser.run("return arguments[0] ? document.querySelector(arguments[0]).getBoundingClientRect().top + scrollY - 24 : 0",
                          anchor)
        keep(picture(browser, width, top, HEIGHT), os.path.join(folder, f"{page}-{name}.png"))
    keep(printed(browser), os.path.join(folder, f"{page}-print.png"))
    say(page)


def test():
    check(len(sys.argv) == 2, "usage: page_pictures FOLDER")
    folder = os.path.abspath(sys.argv[1])
    os.makedirs(folder, exist_ok=True)
    place = temporary()
    demonstrate(os.path.join(place, "demo"), size=("--audience", "4000", "--days", "8"), surroundings=environment(noise=True))
    house = PagedHouse(os.path.join(place, "demo")).start()
    with Browser(language="en") as browser:
        browser.open(f"http://127.0.0.1:{house.port}/")
        take(browser, folder, "transparency")
        enter(browser, house, house.token("--partner", "bank"), "/reports")
        take(browser, folder, "portal")
        page = browser.run("return document.querySelector('.latest a').pathname")
        browser.click(".compare button")
        browser.until("return location.pathname.endsWith('/compare') && document.readyState === 'complete'")
        take(browser, folder, "comparison")
        browser.open(house.address + page)
        take(browser, folder, "report")
        take(browser, folder, "insights", "#insight-2")
        enter(browser, house, house.token("--analyst"), "/explore")
        browser.open(house.address + "/explore?app=shop&metric=purchases&grouping=os")
        take(browser, folder, "explorer")
        enter(browser, house, house.token("--operator"), "/operator")
        take(browser, folder, "operator")
    check(house.stop() == 0, "SIGTERM ended with", house.process.returncode)
    house.clean()
    sizes = [os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)]
    say(f"{len(sizes)} pictures, {sum(sizes) // 1000} kB")
