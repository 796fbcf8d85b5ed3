#!/usr/bin/env python3
"""Writes the bill of materials of what Deploy/package made, as SPDX 2.3 in JSON: every Swift package within the program, Swift's own
libraries, and Debian's packages that come with it or that it needs. The same input gives the same bytes.

Usage: bill.py PACKAGE.deb --commit COMMIT --checkouts FOLDER [--image ARCHIVE --status FILE]
       --checkouts  the Swift packages as they were built, for their licences
       --image      the image's archive, instead of Debian's package, and the status file of dpkg in it
"""

import argparse
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
import urllib.parse

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# By words that only this licence has.
LICENCES = {"Apache License": "Apache-2.0", "Permission is hereby granted, free of charge": "MIT"}


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", name)


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def licence(folder):
    """The licence of a Swift package by its text; NOASSERTION where it is none that is known here."""
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if name.startswith("LICENSE"):
            with open(os.path.join(folder, name)) as file:
                text = file.read()
            for words, found in LICENCES.items():
                if words in text:
                    return found
    return "NOASSERTION"


def encoded(version):
    """A version within a purl."""
    return urllib.parse.quote(version, safe=".~-_")


def part(name, version, purl, *, place="NOASSERTION", licence="NOASSERTION", supplier="NOASSERTION"):
    return {
        "SPDXID": identifier(purl.split("?")[0].removeprefix("pkg:")), "name": name, "versionInfo": version,
        "downloadLocation": place, "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": licence,
        "copyrightText": "NOASSERTION", "supplier": supplier,
        "externalRefs": [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}],
    }


def swift(checkouts):
    """The Swift packages of Deploy/dependencies.txt, and Swift's own libraries, all linked into the program."""
    with open(os.path.join(TOP, "Deploy", "dependencies.txt")) as file:
        lines = [line.split() for line in file if not line.startswith("#")]
    for name, version, place in lines:
        folder = place.rsplit("/", 1)[-1]
        yield part(name, version, f"pkg:swift/{place.removeprefix('https://')}@{encoded(version)}", place=f"git+{place}@{version}",
                   licence=licence(os.path.join(checkouts, folder)))
    version = re.search(r"Swift version (\S+)", output("swift", "--version"))[1]
    yield part("swift", version, f"pkg:github/swiftlang/swift@swift-{version}-RELEASE",
               place=f"git+https://github.com/swiftlang/swift@swift-{version}-RELEASE", licence="Apache-2.0")


def debian(status):
    """The packages that a status file of dpkg has as installed: name, version, architecture."""
    for block in status.split("\n\n"):
        fields = dict(re.findall(r"^([A-Za-z-]+): (.*)$", block, re.M))
        if fields.get("Status", "").endswith(" installed"):
            yield fields["Package"], fields["Version"], fields["Architecture"]


def needed(package):
    """The names of what Debian's package needs; of several that will do, the first."""
    depends = output("dpkg-deb", "-f", package, "Depends")
    return {re.match(r"\s*([a-z0-9.+-]+)", each)[1] for each in depends.split(",")}


def bill(options):
    fields = dict(line.split(": ", 1) for line in output(
        "dpkg-deb", "-f", options.package, "Package", "Version", "Architecture", "Homepage").splitlines() if ": " in line)
    made = options.image or options.package
    with open(options.status or "/var/lib/dpkg/status") as file:
        installed = sorted(set(debian(file.read())))
    if not options.image:
        wanted = needed(options.package)
        installed = [each for each in installed if each[0] in wanted]
        missing = wanted - {each[0] for each in installed}
        if missing:
            sys.exit(f"{options.package} needs {', '.join(sorted(missing))}, which this machine lacks: install it, so that its "
                     "version can be said.")
    program = part("throng", fields["Version"], f"pkg:deb/throng@{encoded(fields['Version'])}?arch={fields['Architecture']}",
                   licence="Apache-2.0")
    program.update(checksums=[{"algorithm": "SHA256", "checksumValue": digest(made)}], packageFileName=os.path.basename(made),
                   sourceInfo=f"built from commit {options.commit}", primaryPackagePurpose="CONTAINER" if options.image else "INSTALL")
    within = list(swift(options.checkouts))
    beside = [part(name, version, f"pkg:deb/debian/{encoded(name)}@{encoded(version)}?arch={architecture}", supplier="Organization: Debian")
              for name, version, architecture in installed if name != "throng"]
    created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", program)]
    relations += [(program["SPDXID"], "STATIC_LINK", each) for each in within]
    relations += [(program["SPDXID"], "CONTAINS" if options.image else "DEPENDS_ON", each) for each in beside]
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": os.path.basename(made), "documentNamespace": f"urn:sha256:{digest(made)}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: throng-Deploy-package"]},
        "packages": [program, *within, *beside],
        "relationships": [
            {"spdxElementId": source, "relationshipType": kind, "relatedSpdxElement": each["SPDXID"]}
            for source, kind, each in relations],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    parser.add_argument("package", metavar="PACKAGE.deb")
    parser.add_argument("--commit", required=True)
    parser.add_argument("--checkouts", required=True)
    parser.add_argument("--image")
    parser.add_argument("--status")
    json.dump(bill(parser.parse_args()), sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
