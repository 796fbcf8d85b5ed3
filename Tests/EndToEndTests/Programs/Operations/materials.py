"""What comes with a release: its bill of materials, judged by PyPI's spdx-tools, names every package within; checksums find a changed
byte, and their signature is the builder's. The workflow for GitHub is one that GitHub takes."""

import json
import os
import subprocess
import sys
import tempfile

import daemon
from daemon import ROOT, check, say

sys.path.insert(0, os.path.join(ROOT, ".build", "spdx"))


def checkouts():
    """What the program was built from: two folders above it, or three where the target's folder is named, not the link to it."""
    folder = os.path.dirname(daemon.BINARY)
    while folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
        if os.path.isdir(os.path.join(folder, "checkouts")):
            return os.path.join(folder, "checkouts")
    sys.exit(f"FAILED: no folder above {daemon.BINARY} has checkouts of the packages it was built from")


CHECKOUTS = checkouts()
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def run(*command, status=0, **more):
    return daemon.ran(*command, ends=status, stdin=subprocess.DEVNULL, cwd=ROOT, **{"env": None, **more})


def package(folder):
    """A package of Debian that needs what two packages have."""
    control = os.path.join(folder, "work", "DEBIAN", "control")
    os.makedirs(os.path.dirname(control))
    daemon.write(control, "Package: throng\nVersion: 0.1.0+git1-1\nArchitecture: amd64\nMaintainer: Test <test@example.com>\n"
                 "Depends: tzdata, libc6 (>= 2.36), uap-core\nDescription: a package\n")
    path = os.path.join(folder, "throng.deb")
    run("dpkg-deb", "--root-owner-group", "--build", os.path.dirname(os.path.dirname(control)), path)
    return path


def faults(document, folder):
    """What spdx-tools finds wrong with a bill of materials."""
    from spdx_tools.spdx.parser.error import SPDXParsingError
    from spdx_tools.spdx.parser.parse_anything import parse_file
    from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
    path = daemon.write(os.path.join(folder, "judged.spdx.json"), json.dumps(document))
    try:
        return [message.validation_message for message in validate_full_spdx_document(parse_file(path))]
    except SPDXParsingError as error:
        return error.get_messages()


def bill(path):
    return run(os.path.join(ROOT, "Deploy", "debian", "bill.py"), path, "--commit", COMMIT, "--checkouts", CHECKOUTS,
               env={**os.environ, "SOURCE_DATE_EPOCH": "1790000000"}).stdout


def materials(folder):
    path = package(folder)
    text = bill(path)
    check(text == bill(path), "the same package has another bill of materials")
    document = json.loads(text)
    check(not faults(document, folder), "spdx-tools finds", faults(document, folder))
    listed = {tuple(line.split()[:2]) for line in daemon.read(ROOT, "Deploy", "dependencies.txt").splitlines() if line[:1] != "#"}
    parts = {(each["name"].lower(), each["versionInfo"]) for each in document["packages"]}
    check(len(listed) > 20 and listed <= parts, "it lacks", listed - parts)
    names = {name for name, _ in parts}
    check({"throng", "swift", "tzdata", "libc6", "uap-core"} <= names, "it has", sorted(names))
    unknown = [each["name"] for each in document["packages"]
               if each["externalRefs"][0]["referenceLocator"].startswith("pkg:swift/") and each["licenseDeclared"] == "NOASSERTION"]
    check(not unknown, "no licence is known of", unknown)
    for change in (
        lambda bent: bent["packages"][1].update(downloadLocation="somewhere or other"),
        lambda bent: bent["relationships"][1].update(relatedSpdxElement="SPDXRef-nowhere"),
        lambda bent: bent["packages"][0]["checksums"][0].update(checksumValue="12"),
    ):
        bent = json.loads(text)
        change(bent)
        check(faults(bent, folder), "spdx-tools takes anything")
    say(f"the bill of materials names {len(parts)} packages")


def sums(folder):
    command = [os.path.join(ROOT, "Deploy", "package"), "sums", folder]
    unsigned = {name: value for name, value in os.environ.items() if name != "SIGNING_KEY"}
    check("is unsigned" in run(*command, env=unsigned).stderr, "nobody is told that it is unsigned")
    key = os.path.join(folder, "key")
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "builder", "-f", key)
    run(*command, env={**unsigned, "SIGNING_KEY": key})
    daemon.write(os.path.join(folder, "signers"), "builder " + daemon.read(key + ".pub"))
    page = daemon.read(ROOT, "Sources", "Throng.docc", "Installing.md").splitlines()
    verify = " && ".join(line.strip() for line in page if line.startswith(("ssh-keygen -Y verify", "sha256sum -c")))
    check(verify.count(" && ") == 1, "the page on installing has no two commands to verify a release:", verify)

    def verified():
        return subprocess.run(["bash", "-c", verify], cwd=folder, capture_output=True).returncode == 0

    check(verified(), "what is signed is refused")
    with open(os.path.join(folder, "throng.deb"), "ab") as file:
        file.write(b"!")
    check(not verified(), "a changed package is taken")
    run(*command, env=unsigned)
    check(not os.path.exists(os.path.join(folder, "SHA256SUMS.sig")), "an old signature stands beside new checksums")
    run(*command, env={**unsigned, "SIGNING_KEY": os.path.join(folder, "nothing")}, status=255)
    say("checksums and their signature hold")


def workflow(folder):
    judge = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    path = os.path.join(ROOT, ".github", "workflows", "test.yaml")
    env = {**os.environ, "PYTHONPATH": sys.path[0]}
    run(*judge, path, env=env)
    text = daemon.read(path)
    bent = daemon.write(os.path.join(folder, "test.yaml"), text.replace("runs-on:", "runs_on:"))
    run(*judge, bent, env=env, status=1)
    for command in (".ci/run", "Deploy/test --all", "Deploy/package deb"):
        check(command in text and os.access(os.path.join(ROOT, command.split()[0]), os.X_OK), command, "is not run")
    say("GitHub takes the workflow")


def test():
    with tempfile.TemporaryDirectory() as folder:
        materials(folder)
        sums(folder)
        workflow(folder)
