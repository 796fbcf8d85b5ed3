"""Who signs in to a house's pages, and all that they get to see there: every page that links lead to, every file, every CSV."""

import collections
import html
import re
import urllib.parse

from daemon import check


def is_file(address):
    path = urllib.parse.urlsplit(address).path
    return "." in path or path.startswith("/v1/numbers")


class Visitor:
    """Somebody with a token, whose pages are read one after the other."""

    def __init__(self, house, *role):
        self.house = house
        token = house.command("token", "new", "--plan", house.plan, "--data", house.data, *role).strip().split("\n")[0]
        status, headers, _ = self.ask("POST", "/sign-in", urllib.parse.urlencode({"token": token}))
        check(status == 303, role, "are not let in:", status)
        self.cookie = headers["set-cookie"].split(";")[0]

    cookie = None

    def ask(self, method, path, body=None):
        headers = {"cookie": self.cookie} if self.cookie else {}
        if body is not None:
            headers["content-type"] = "application/x-www-form-urlencoded"
        return self.house.exchange(method, path, body, headers, port=self.house.portal_port)

    def pages(self, first, labels, most=500):
        """The text of all pages from one on, by address, and of files of the periods with one of these labels."""
        queue, found = collections.deque([(first, first)]), {}
        while queue:
            address, parent = queue.popleft()
            if address in found:
                continue
            status, _, body = self.ask("GET", address)
            if status == 404:
                # Age may take it meanwhile; then it is not named any more either.
                _, _, body = self.ask("GET", parent)
                check(address not in self.linked(parent, body.decode(errors="replace")), address, "is named, and not there")
                continue
            check(status == 200, address, "answers", status)
            text = found[address] = body.decode(errors="replace")
            check(len(found) < most, "pages without end:", list(found)[:5])
            if not is_file(address):
                queue.extend((link, address) for link in self.linked(address, text)
                             if not is_file(link) or link.startswith("/v1/numbers") or any(label in link for label in labels))
        return found

    @staticmethod
    def linked(address, text):
        """Where a page leads: its links, an analyst's table of all periods and its CSV, comparisons of a partner's periods."""
        links = [html.unescape(link) for link in re.findall(r'href="(/[^"#]+)"', text)]
        asks = r'<form[^>]*action="(/explore|/reports/[^"]*compare)"[^>]*>(.*?)</form>'
        for action, form in re.findall(asks, text, re.DOTALL):
            hidden = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form)
            periods = sorted(re.findall(r'option value="(\d{4}-[^"]+)"', form))
            if periods and periods[0] != periods[-1]:
                chosen = [(name, html.unescape(value)) for name, value in hidden] + [("from", periods[0]), ("to", periods[-1])]
                links.append(f"{action}?{urllib.parse.urlencode(chosen)}")
        # In another order everything is there again.
        return [link for link in links if link.startswith(("/reports", "/explore", "/operator")) and not re.search("[?&](sort|over)=", link)
                or link.startswith("/v1/numbers") and link.endswith("format=csv")]
