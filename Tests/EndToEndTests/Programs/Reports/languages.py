"""A plan in two languages against a real daemon: whoever asks gets the public plan and the page in their language, caches are
told so, and the label and `plan diff` know it, too."""

import json
import os
import subprocess
import tempfile

import daemon
from daemon import BINARY, SAMPLE, check, say

ENGLISH, ARABIC = "To see which features are used on which devices.", "لنرى أي الميزات تُستخدم."


def plan(arabic=ARABIC):
    with open(os.path.join(SAMPLE, "notes", "notes.yaml")) as file:
        lines = file.read().splitlines()
    return "\n".join(
        f'    explanation: {{en: "{ENGLISH}", ar: "{arabic}"}}' if line.strip().startswith("explanation:") else line
        for line in lines) + "\n"


def throng(*arguments):
    return subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=60, env=daemon.environment())


def served(house, path, wanted):
    status, headers, body = house.get(path, {} if wanted is None else {"accept-language": wanted})
    check(status == 200, path, wanted, status)
    headers = {key.lower(): value for key, value in headers.items()}
    check("accept-language" in headers["vary"], path, "does not say that it is by language:", headers)
    return headers["etag"], body.decode()


def asked(house):
    tags = {}
    for wanted, text in ((None, ENGLISH), ("*", ENGLISH), ("ar", ARABIC), ("ar-EG,en;q=0.5", ARABIC), ("fr", ENGLISH),
                         ("en,ar", ENGLISH), ("fr,ar;q=0.1", ARABIC), ("ar;q=0", ENGLISH), (",;q=,de_X", ENGLISH)):
        tag, body = served(house, "/v1/plan/notes", wanted)
        document = json.loads(body)
        check(document["purposes"][0]["explanation"] == text, wanted, "gets", document["purposes"][0]["explanation"])
        check(document["translations"]["ar"] == {"purposes.product.explanation": ARABIC}, document["translations"])
        tags.setdefault(text, set()).add(tag)
        attributes = 'lang="ar" dir="rtl"' if text == ARABIC else 'lang="en" dir="ltr"'
        for path in ("/", "/apps/notes"):
            page = served(house, path, wanted)[1]
            check(f'{attributes}>{text}</h2>' in page, "the page for", wanted, "lacks", attributes, text)
            check('<html lang="en">' in page, "what the page says itself is English")
    check(len(tags[ENGLISH]) == len(tags[ARABIC]) == 1 and tags[ENGLISH] != tags[ARABIC], "tags are by language:", tags)
    status = house.get("/v1/plan/notes", {"accept-language": "ar", "if-none-match": next(iter(tags[ENGLISH]))})[0]
    check(status == 200, "whoever has the English plan has not the Arabic one:", status)
    status = house.get("/v1/plan/notes", {"accept-language": "ar", "if-none-match": next(iter(tags[ARABIC]))})[0]
    check(status == 304, "whoever has it does not get it again:", status)
    say("the public plan and the page are in the language that is asked for")


def printed(folder):
    files = []
    for number, text in enumerate((plan(), plan("لنبيع."))):
        files.append(os.path.join(folder, f"{number}.yaml"))
        with open(files[-1], "w") as file:
            file.write(text)
    arabic = throng("plan", "label", files[0], "--language", "ar-EG")
    check(arabic.returncode == 0 and ARABIC in arabic.stdout and ENGLISH not in arabic.stdout, arabic.stdout, arabic.stderr)
    check(ENGLISH in throng("plan", "label", files[0]).stdout, "the label is English unless asked")
    missing = throng("plan", "label", files[0], "--language", "fr")
    check(missing.returncode != 0 and "it has ar, en" in missing.stderr, missing.stderr)
    malformed = throng("plan", "label", files[0], "--language", "de_AT")
    check(malformed.returncode != 0 and "no language tag" in malformed.stderr, malformed.stderr)
    diff = throng("plan", "diff", *files)
    check("its explanation reads otherwise" in diff.stdout, "another Arabic text is no change:", diff.stdout, diff.stderr)
    check("reads otherwise" not in throng("plan", "diff", files[0], files[0]).stdout, "the same plan is a change")
    say("so is the label, and a change of one language is a change of words")


def test():
    house = daemon.Daemon(plan(), name="notes")
    house.start()
    asked(house)
    check(house.stop() == 0, "serve stops gracefully")
    with open(os.path.join(SAMPLE, "notes", "notes.yaml")) as file:
        plain = daemon.Daemon(file.read(), name="notes")
    plain.start()
    headers = {key.lower(): value for key, value in plain.get("/v1/plan/notes", {"accept-language": "ar"})[1].items()}
    check(headers["vary"] == "accept-encoding", "a plan in one language is by no language:", headers)
    check(plain.stop() == 0, "serve stops gracefully")
    with tempfile.TemporaryDirectory() as folder:
        printed(folder)


if __name__ == "__main__":
    daemon.main(test)
