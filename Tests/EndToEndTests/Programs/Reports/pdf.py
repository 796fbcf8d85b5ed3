"""A partner's report as PDF and pictures, by the Chromium that is installed: the numbers of the JSON, tagged, the same bytes again, no
packet to anybody; and where there is no Chromium, everything else. A user without rights prints in Chromium's sandbox.

THRONG_TEST_SCREENSHOTS names a folder that keeps the PDF and pictures of its pages."""

import decimal
import json
import os
import re
import shutil
import struct
import subprocess
import zlib

import daemon
from daemon import BINARY, check, say
from paged_house import PagedHouse, demonstrate, sample_plan


SIZE = ("--audience", "4000", "--days", "2")


def plan():
    text = sample_plan()
    check(text.count("formats: [html, csv, json]") == 1, "the sample's formats")
    return text.replace("formats: [html, csv, json]", "formats: [html, pdf, csv, json, svg, png]")


def words(pdf, *options):
    return subprocess.run(["pdftotext", *options, pdf, "-"], capture_output=True, text=True, check=True).stdout


def facts(pdf, *options):
    text = subprocess.run(["pdfinfo", *options, pdf], capture_output=True, text=True, check=True).stdout
    return text, dict(re.findall(r"^([\w ]+?): +(.*)$", text, re.MULTILINE))


def shown(value, unit):
    """A number as the page writes it for English readers."""
    if unit == "share":
        return f"{value * 100:.1f}%"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def numbers(folder, name):
    """Each published number of the JSON is in the PDF, on a line with its group."""
    report = json.loads(daemon.read(folder, name + ".json"), parse_float=decimal.Decimal)
    lines = words(os.path.join(folder, name + ".pdf"), "-layout").splitlines()
    text = " ".join(" ".join(lines).split())
    count = 0
    for insight in report["insights"]:
        check(insight["title"] in text, "the PDF lacks", insight["title"])
        rows = insight["rows"] + [row for point in insight.get("points", []) for row in point["rows"]]
        for row in [row for row in rows if row["status"] == "published" and row["value"] is not None]:
            number = shown(row["value"], insight["unit"])
            # A label may be broken over lines, and stands one line off then; of bands pages say "under 20" and "20 to 50".
            label = row["buckets"][-1] if row["buckets"] and insight["kind"] != "quantiles" else ""
            label = re.sub(r"^(\d+)-\d+$", r"\1", label.replace("<", "under ").removeprefix(">=")).partition(" ")[0]
            near = [" ".join(lines[max(place - 1, 0):place + 2]) for place, line in enumerate(lines) if number in line]
            check(any(label in each for each in near), insight["name"], row["buckets"], "lacks", number, "with", label)
            count += 1
    check(count >= 15, "only", count, "numbers")
    say(count, "numbers of the JSON are in the PDF")


def pictures(folder, name):
    """Each drawing has a picture, with two dots a pixel. Returns their names."""
    drawings = [entry for entry in sorted(os.listdir(folder)) if entry.startswith(name + "-") and entry.endswith(".svg")]
    check(len(drawings) >= 3, drawings)
    names = [entry[:-4] + ".png" for entry in drawings]
    for drawing, picture in zip(drawings, names):
        size = re.search(r'width="(\d+)" height="(\d+)"', daemon.read(folder, drawing)).groups()
        png = daemon.read_bytes(os.path.join(folder, picture))
        check(png.startswith(b"\x89PNG") and struct.unpack(">II", png[16:24]) == tuple(2 * int(edge) for edge in size), picture, size)
        check(b"tIME" not in png and b"tEXt" not in png, picture, "has more than dots")
        # The corner is light, and something is drawn: one colour alone would be a few hundred bytes.
        first = zlib.decompressobj().decompress(png[png.index(b"IDAT") + 4:], 4)
        check(first[1:] == b"\xff\xff\xff" and len(png) > 4000, picture, first, len(png))
    say(len(names), "pictures, as large as the drawings, and light")
    return names


def printed(house, out, environment):
    done = daemon.ran(
        BINARY, "report", "make", "--plan", house.plan, "--data", house.data, "--partner", "bank", "--out", out, env=environment)
    return {line.split("/")[-1]: line for line in done.stdout.splitlines()}, done.stderr


def wrapped(folder, name, command, **more):
    """An environment in which Chromium is found by its name on the PATH, as what a command runs."""
    tools = os.path.join(folder, name)
    os.mkdir(tools)
    path = os.path.join(tools, "chromium")
    daemon.write(path, f'#!/bin/sh\n{command} /usr/bin/chromium "$@"\n')
    os.chmod(path, 0o755)
    surroundings = daemon.environment(**more)
    surroundings["PATH"] = tools + os.pathsep + surroundings["PATH"]
    return surroundings


def printed_by_nobody(folder, plan):
    """A user without rights prints in Chromium's sandbox. PrintTests have one that gets none."""
    if os.geteuid() != 0:
        return say("all of the above was printed in Chromium's sandbox, because the user is not root")
    home, seen = os.path.join(folder, "nobody"), os.path.join(folder, "nobody-arguments")
    # The paths of others' temporary files are not readable by everybody.
    temporary = os.path.join(home, "tmp")
    for path in (home, temporary):
        os.mkdir(path)
        shutil.chown(path, "nobody")
    daemon.write(seen, "", 0o666)
    surroundings = wrapped(folder, "nobody-tools", f'printf "%s\\n" "$@" >> {seen}\nexec', TMPDIR=temporary, HOME=home)
    nobody = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--no-new-privs", "--"]
    data = os.path.join(home, "demo")
    demonstrate(data, plan, ("--audience", "1000", "--days", "1"), nobody, surroundings)
    reports = os.path.join(data, "reports", "bank")
    pdfs = [name for name in sorted(os.listdir(reports)) if name.endswith(".pdf")]
    arguments = daemon.read(seen).splitlines()
    check(pdfs and daemon.read_bytes(os.path.join(reports, pdfs[-1])).startswith(b"%PDF-"), "nobody printed", os.listdir(reports))
    check("--headless=new" in arguments and "--no-sandbox" not in arguments, arguments)
    say("a user without rights prints in the sandbox")


def test():
    folder = daemon.temporary()
    data, temporary = os.path.join(folder, "demo"), os.path.join(folder, "tmp")
    os.mkdir(temporary, 0o777)
    path = os.path.join(folder, "shop.yaml")
    daemon.write(path, plan())
    # What Chromium says to the network is written down. Its other calls are not stopped at, as it has only so much time to print.
    trace = os.path.join(folder, "trace")
    surroundings = wrapped(
        folder, "tools", f"exec strace -f --seccomp-bpf -qq -e trace=connect,sendto,sendmsg,sendmmsg -o {trace}.$$", TMPDIR=temporary)
    demonstrate(data, path, SIZE, (), surroundings)
    house = PagedHouse(data)
    daemon.write(house.plan, plan())
    reports = os.path.join(data, "reports", "bank")
    pdfs = [name for name in sorted(os.listdir(reports)) if name.endswith(".pdf")]
    check(len(pdfs) >= 1, "the demonstration made", os.listdir(reports))
    name = pdfs[-1][:-4]
    pdf = os.path.join(reports, name + ".pdf")

    text, known = facts(pdf)
    check(known["Tagged"] == "yes" and known["Page size"].endswith("(A4)"), text)
    check(known["Title"].startswith("Made up: What shoppers buy") and known["Creator"] == "Throng", text)
    check("CreationDate" not in known and "ModDate" not in known and known["JavaScript"] == "no", text)
    structure = facts(pdf, "-struct-text")[0]
    for part in ("H1", "H2", "Table", "TH", "TD", "Figure"):
        check(re.search(rf"\b{part}\b", structure), "the PDF's structure has no", part)
    raw = daemon.read_bytes(pdf)
    check(b"/Lang (en)" in raw and b"/Outlines" in raw and b"/DisplayDocTitle true" in raw, "language, outline and title")
    check(folder.encode() not in raw and b"throng-print" not in raw, "a path of this machine")
    check("file:" not in words(pdf) and "throng-print" not in words(pdf), "a path in a header")
    say("tagged, A4, titled, without times or paths")
    numbers(reports, name)
    pngs = pictures(reports, name)

    traces = [entry for entry in os.listdir(folder) if entry.startswith("trace.")]
    check(traces, "nothing was traced")
    for line in (line for entry in traces for line in daemon.read(folder, entry).splitlines()):
        # A datagram socket that is connected to see which way it would go sends nothing.
        sends = "AF_INET" in line and not re.search(r"\bconnect\(.*sin6?_port=htons\(443\).*2001:4860", line)
        check(not sends, "Chromium spoke to the network:", line)
    check(not os.listdir(temporary), "left behind:", os.listdir(temporary))
    say("nobody was spoken to, and nothing stays")

    house.start()
    plain = daemon.environment(TMPDIR=temporary)
    again, said = printed(house, os.path.join(folder, "again"), plain)
    check(daemon.read_bytes(again[name + ".pdf"]) == raw, "the same report has other bytes")
    check(all(daemon.read_bytes(again[png]) == daemon.read_bytes(os.path.join(reports, png)) for png in pngs), "other pictures")
    check("PDF" not in said, said)
    without, said = printed(house, os.path.join(folder, "without"), {**plain, "PATH": "/nowhere"})
    endings = sorted(each.removeprefix(name) for each in without if not each.endswith(".svg"))
    check(endings == [".csv", ".html", ".json", ".manifest.json", ".manifest.sig"], without)
    check("the PDF and pictures could not be made" in said and "apt install chromium" in said, said)
    say("the same bytes again; and everything else where there is no Chromium")

    code, out, said = daemon.run("verify", reports, "--key", os.path.join(data, "signing", "keys.json"))
    check(code == 0 and all(each in out + said for each in [name + ".pdf", *pngs]), "verify says", code, out, said)
    # Another report over the same period, made where there is no Chromium.
    daemon.write(house.plan, plan().replace("  bank_daily:", "  bank_other:"))
    done = daemon.ran(
        BINARY, "report", "make", "--plan", house.plan, "--data", data, "--partner", "bank", env={**plain, "PATH": "/nowhere"})
    check("the PDF and pictures could not be made" in done.stderr, done.stderr)
    record = house.command("report", "show", name.replace("daily", "other"), "--data", data)
    check("outcome" in record and "the PDF and pictures could not be made" in record, record)
    check("throng report make --partner bank --period" in record, "the record says how to make it:", record)
    say("signed and checked; a report without its PDF says so on record")

    printed_by_nobody(folder, path)

    keep = os.environ.get("THRONG_TEST_SCREENSHOTS")
    if keep:
        os.makedirs(keep, exist_ok=True)
        shutil.copy(pdf, os.path.join(keep, "report.pdf"))
        subprocess.run(["pdftoppm", "-r", "60", "-png", pdf, os.path.join(keep, "pdf")], check=True)
    check(house.stop() == 0, "SIGTERM ended with", house.process.returncode)
