"""A plan in two languages against a real daemon: whoever asks gets the public plan and the page in their language, caches are
told so, and the label knows it, too. No page mixes two. How languages are chosen is PlanLanguageTests'."""

import json
import re

import daemon
from daemon import SAMPLE, check, say

ENGLISH, ARABIC = "To see which features are used on which devices.", "لنرى أي الميزات تُستخدم."


def plan(keys=None):
    """The sample's plan, with the texts under some keys in two languages."""
    def both(found):
        key, text = found[1] or found[3], found[2] or found[4]
        return f'{key}: {{en: "{ENGLISH if key == "explanation" else text}", ar: "{ARABIC if key == "explanation" else "ع " + text}"}}'
    text = daemon.read(SAMPLE, "notes", "notes.yaml")
    # A text is the rest of its key's line, or within braces as far as a comma.
    return re.sub(rf"(?m)(?<=^    )({keys}): (.+)$|(?<=[{{ ])({keys}): ([^,}}\n]+)", both, text) if keys else text


def served(house, path, wanted):
    status, headers, body = house.get(path, {} if wanted is None else {"accept-language": wanted})
    check(status == 200, path, wanted, status)
    headers = {key.lower(): value for key, value in headers.items()}
    check("accept-language" in headers["vary"], path, "does not say that it is by language:", headers)
    return headers["etag"], body.decode()


def asked(house):
    tags = {}
    for wanted, text in ((None, ENGLISH), ("ar-EG,en;q=0.5", ARABIC), ("fr", ENGLISH), (",;q=,de_X", ENGLISH)):
        tag, body = served(house, "/v1/plan/notes", wanted)
        document = json.loads(body)
        check(document["purposes"][0]["explanation"] == text, wanted, "gets", document["purposes"][0]["explanation"])
        check(document["translations"]["ar"]["purposes.product.explanation"] == ARABIC, document["translations"])
        tags.setdefault(text, set()).add(tag)
        attributes = 'lang="ar" dir="rtl"' if text == ARABIC else 'lang="en" dir="ltr"'
        for path in ("/", "/apps/notes"):
            page = served(house, path, wanted)[1]
            check(f'{attributes}>{text}</h2>' in page, "the page for", wanted, "lacks", attributes, text)
            check(f"<html {attributes}>" in page, "the page for", wanted, "is not in its language")
    check(len(tags[ENGLISH]) == len(tags[ARABIC]) == 1 and tags[ENGLISH] != tags[ARABIC], "tags are by language:", tags)
    status = house.get("/v1/plan/notes", {"accept-language": "ar", "if-none-match": next(iter(tags[ENGLISH]))})[0]
    check(status == 200, "whoever has the English plan has not the Arabic one:", status)
    status = house.get("/v1/plan/notes", {"accept-language": "ar", "if-none-match": next(iter(tags[ARABIC]))})[0]
    check(status == 304, "whoever has it does not get it again:", status)
    say("the public plan and the page are in the language that is asked for")


def test():
    house = daemon.Daemon(plan("title|question|explanation"), name="notes").start()
    asked(house)
    arabic = house.command("plan", "label", house.plan, "--language", "ar-EG")
    check(ARABIC in arabic and ENGLISH not in arabic, arabic)
    check(ENGLISH in house.command("plan", "label", house.plan), "the label is English unless asked")
    check("it has ar, en" in house.command("plan", "label", house.plan, "--language", "fr", ends=64), "what there is is said")
    say("so is the label")
    check(house.stop() == 0, "serve stops gracefully")
    daemon.write(house.plan, plan("explanation"))
    house.start()
    page = served(house, "/apps/notes", "ar")[1]
    check('<html lang="en" dir="ltr">' in page and ARABIC not in page, "a page of which a part is in no other language is in one")
    check(house.stop() == 0, "serve stops gracefully")
    daemon.write(house.plan, plan())
    house.start()
    headers = {key.lower(): value for key, value in house.get("/v1/plan/notes", {"accept-language": "ar"})[1].items()}
    check(headers["vary"] == "accept-encoding", "a plan in one language is by no language:", headers)
    check(house.stop() == 0, "serve stops gracefully")
