"""Reads user agents by uap-core's specification.md with Debian's regexes.yaml: an implementation that shares nothing
with Throng's. Throng knows more bots than uap-core; those that the programs send are bots by both, or by neither."""

import functools
import re

import yaml

REGEXES = "/usr/share/uap-core/regexes.yaml"
# Throng reads so many bytes of a user agent and no more.
LONGEST = 1024

# How families are gathered (documented with the plan's `browser` and `operating_system`).
BROWSERS = {
    "Chrome": ["Chrome Mobile", "Chrome Mobile iOS", "Chrome Mobile WebView", "Chrome Frame", "Chromium", "HeadlessChrome"],
    "Safari": ["Mobile Safari", "Mobile Safari UI/WKWebView"],
    "Firefox": ["Firefox Mobile", "Firefox iOS", "Firefox Alpha", "Firefox Beta", "Firefox Focus", "Firefox Klar",
                "Firefox (Minefield)", "Firefox (Namoroka)", "Firefox (Shiretoko)"],
    "Edge": ["Edge Mobile", "Edge WebView", "Edge Webview2"],
    "Opera": ["Opera Mobile", "Opera Mini", "Opera Tablet", "Opera Touch", "Opera Coast", "Opera Neon", "Opera GX"],
    "Samsung Internet": [],
    "Internet Explorer": ["IE", "IE Mobile", "IE Large Screen"],
}
STANDARD_BROWSERS = ["Chrome", "Safari", "Firefox", "Edge", "Opera", "Samsung Internet"]
SYSTEMS = {
    "Windows": ["Windows NT", "Windows XP", "Windows Vista", "Windows 7", "Windows 8", "Windows 8.1", "Windows 10",
                "Windows 95", "Windows 98", "Windows ME", "Windows 2000"],
    "macOS": ["Mac OS X", "Mac OS"],
    "iOS": ["iPadOS", "iPhone OS"],
    "Android": [],
    "Linux": ["Arch Linux", "CentOS", "Debian", "Fedora", "Gentoo", "Kubuntu", "Linux Mint", "Mandriva", "Mint",
              "PCLinuxOS", "Puppy", "Red Hat", "SUSE", "Slackware", "Ubuntu", "VectorLinux", "Lubuntu", "Xubuntu",
              "openSUSE"],
    "ChromeOS": ["Chrome OS"],
}
BSD = {"DragonFly", "FreeBSD", "NetBSD", "OpenBSD"}
# The device class by operating system, where neither a screen of another kind nor a mobile system decides.
CLASS_BY_SYSTEM = {
    **dict.fromkeys(
        ["Bada", "BlackBerry OS", "Brew MP", "KaiOS", "MeeGo", "Nokia Series 30 Plus", "Nokia Series 40", "Symbian OS",
         "Symbian^3", "Symbian^3 Anna", "Symbian^3 Belle", "Windows Mobile", "Windows Phone"], "phone"),
    "BlackBerry Tablet OS": "tablet",
    "Solaris": "desktop",
}
CLASS_BY_DEVICE = {"Generic Feature Phone": "phone", "Generic Smartphone": "phone", "Generic Tablet": "tablet"}


class Parser:
    def __init__(self, entries, replacement):
        self.entries = [
            (re.compile(entry["regex"], re.ASCII | (re.IGNORECASE if entry.get("regex_flag") == "i" else 0)), entry.get(replacement))
            for entry in entries]

    def family(self, text):
        for pattern, template in self.entries:
            match = pattern.search(text)
            if match:
                if template is None:
                    found = match.group(1) if pattern.groups else None
                else:
                    found = re.sub(
                        r"\$([1-9])", lambda place: (match.group(int(place[1])) or "") if int(place[1]) <= pattern.groups else "", template)
                return (found or "").strip() or "Other"
        return "Other"


class Agents:
    def __init__(self):
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        with open(REGEXES, encoding="utf-8") as file:
            lists = yaml.load(file, Loader=loader)
        self.browsers = Parser(lists["user_agent_parsers"], "family_replacement")
        self.systems = Parser(lists["os_parsers"], "os_replacement")
        self.devices = Parser(lists["device_parsers"], "device_replacement")

    @functools.lru_cache(maxsize=None)
    def read(self, agent):
        """uap-core's families of browser and operating system, and the device class."""
        text = agent.encode()[:LONGEST].decode(errors="replace")
        browser, system = self.browsers.family(text), self.systems.family(text)
        return browser, system, self.device_class(text, browser, system)

    def device_class(self, text, browser, system):
        device = self.devices.family(text)
        if device == "Spider" or browser in ("HeadlessChrome", "PhantomJS"):
            return "bot"
        if any(word in text for word in ("TV", "BRAVIA", "Xbox", "PlayStation", "Nintendo")):
            return "other"
        if system == "iOS":
            return "tablet" if "iPad" in text else "phone"
        if system == "Android":
            return "phone" if "Mobile" in text or not ("Mozilla/" in text or "Tab" in text) else "tablet"
        if system in CLASS_BY_SYSTEM:
            return CLASS_BY_SYSTEM[system]
        if chosen(system, SYSTEMS, ["Windows", "macOS", "Linux", "ChromeOS"]) != "other" or system in BSD:
            return "desktop"
        return CLASS_BY_DEVICE.get(device, "other")


def chosen(family, table, families):
    """The bucket of a family among those that a plan names: its own name first, then what it is gathered into."""
    if family in families:
        return family
    for name in families:
        if family in table.get(name, []):
            return name
    return "other"
