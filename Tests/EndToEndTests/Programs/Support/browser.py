"""Chromium, driven by selenium from PyPI. Names under .example lead to this machine."""

import json
import os
import sys
import time

from daemon import ROOT, check

sys.path.insert(0, os.path.join(ROOT, ".build", "browser"))
from selenium import webdriver  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from axe_selenium_python import Axe  # noqa: E402

DESKTOP = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.8078.79 Safari/537.36"


class Browser:
    def __init__(self, agent=DESKTOP, controlled=False, language="de-AT"):
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run",
                         "--disable-background-networking", "--disable-component-update", "--window-size=1280,900",
                         "--host-resolver-rules=MAP *.example 127.0.0.1", f"--user-agent={agent}", f"--accept-lang={language}",
                         "--disable-field-trial-config", "--enable-features=BackForwardCache"):
            options.add_argument(argument)
        if not controlled:
            options.add_argument("--disable-blink-features=AutomationControlled")
        options.add_experimental_option("excludeSwitches", ["disable-back-forward-cache"])
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        options.binary_location = "/usr/bin/chromium"
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.driver.set_script_timeout(600)
        # The driver's answers are waited for longer than any script may take.
        self.driver.command_executor.client_config.timeout = 660
        self.driver.get("about:blank")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def tab(self):
        """A fresh tab: another device, as far as anybody can tell."""
        self.driver.switch_to.new_window("tab")
        return self

    def open(self, url):
        self.driver.get(url)
        return self

    def click(self, selector):
        self.driver.find_element(By.CSS_SELECTOR, selector).click()
        return self

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def cdp(self, command, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    def axe(self):
        """What looks for barriers on the page that is open."""
        axe = Axe(self.driver)
        axe.inject()
        return axe

    def ready(self):
        """Returns once the plan has come and what was done so far is sent and answered."""
        return self.answered("length > 0")

    def answered(self, condition):
        """Returns once something is so of what was sent, and all of it is answered."""
        self.until(f"return throng.sent.{condition}", poke="throng.flush()")
        return self.settled()

    def settled(self):
        self.until("return throng.sent.every(batch => batch.answer)", poke="throng.flush()")
        return self

    def until(self, condition, poke=""):
        deadline = time.monotonic() + 180
        while not self.run(condition):
            check(time.monotonic() < deadline, "never true:", condition, self.driver.get_log("browser"))
            if poke:
                self.run(poke)
            time.sleep(0.1)

    def sent(self):
        return [json.loads(each["body"]) for each in self.run("return throng.sent")]

    def quiet(self):
        """Nothing that the page's policy forbids was tried."""
        errors = [entry["message"] for entry in self.driver.get_log("browser")
                  if entry["level"] == "SEVERE" and "favicon" not in entry["message"]]
        check(not errors, "the browser complains:", "\n".join(errors))
