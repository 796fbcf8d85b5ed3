"""What sslyze and testssl.sh find wrong with the daemon's TLS; Tests/Scripts/tls installs them. It is no part of the tests: it
takes minutes, and a newer scanner may find more."""

import json
import os
import subprocess
import sys
import tempfile

import daemon
from daemon import check, say

# What they name and is so on purpose, or is the certificate's of a test. A real one has neither.
STATED = {
    "certificate_path_validation": "the test's authority is its own",
    "cert_trust": "the test's authority is its own",
    "cert_chain_of_trust": "the test's authority is its own",
    "cert_caIssuers": "the test's authority is its own",
    "cert_revocation": "the test's authority revokes nothing",
    "cert_crlDistributionPoints": "the test's authority revokes nothing",
    "cert_ocspURL": "the test's authority revokes nothing",
    "cert_extlifeSpan": "the test's certificate",
    "engine_problem": "the scanner's own OpenSSL",
    "cipher_order": "clients choose: all that is offered is as strong, and each knows what is quick for it (so Mozilla)",
    "BREACH": "what is compressed is the same for everybody: no secret is in it, and nothing that somebody sent",
    "DNS_CAArecord": "the machine itself has no record",
    "OCSP_stapling": "authorities give up OCSP (Let's Encrypt did in 2025); nothing is stapled",
    "cert_mustStapleExtension": "the same",
    "certificate_transparency": "the test's authority is in no log",
    "LUCKY13": "named where suites with CBC are offered; none is",
    "overall_grade": "a grade of certificates that nobody knows is T",
}


def sslyze(address, authority):
    """What deviates from Mozilla's intermediate configuration: (name, words)."""
    words = [sys.executable, "-m", "sslyze", "--mozilla_config", "intermediate", "--resum", "--tlsv1_2", "--tlsv1_3", address]
    if authority:
        words[5:5] = ["--certinfo_ca_file", authority]
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=900,
        env={**os.environ, "PYTHONPATH": os.path.join(daemon.ROOT, ".build", "sslyze")})
    print(done.stdout, done.stderr[-2000:], flush=True)
    check("COMPLIANCE AGAINST TLS CONFIGURATION" in done.stdout, "sslyze does not come to its end")
    verdict = done.stdout.split("COMPLIANCE AGAINST TLS CONFIGURATION")[1]
    check("OK - Compliant" in verdict or "Not compliant" in verdict, "sslyze compares with nothing:", verdict)
    return [tuple(text.strip()[2:].split(": ", 1)) for text in verdict.splitlines() if text.strip().startswith("* ")]


def testssl(address, authority):
    """Findings of LOW and above: (id, severity, finding)."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "found.json")
        words = ["testssl", "--quiet", "--color", "0", "--warnings", "off", "--jsonfile", path]
        done = subprocess.run(
            [*words, *(["--add-ca", authority] if authority else []), address], capture_output=True, text=True,
            stdin=subprocess.DEVNULL, timeout=1800)
        print(done.stdout[-12000:], flush=True)
        with open(path) as file:
            found = json.load(file)
    return [(each["id"], each["severity"], each["finding"]) for each in found
            if each["severity"] in ("LOW", "MEDIUM", "HIGH", "CRITICAL", "WARN", "FATAL")]


def test():
    house = None
    if len(sys.argv) > 1:
        address, authority = sys.argv[1], None
    else:
        import sealed
        house = sealed.House().start()
        address, authority = f"localhost:{house.port}", house.authority.path
    found = [("sslyze", name, "deviates", text) for name, text in sslyze(address, authority)]
    found += [("testssl.sh", *each) for each in testssl(address, authority)]
    if house:
        check(house.get("/healthz")[0] == 200, "the scanners have ended it")
        check(house.stop() == 0, "serve stops gracefully")
    new = []
    for who, name, severity, text in found:
        reason = STATED.get(name.split(" ")[0]) or next((STATED[key] for key in STATED if name.startswith(key)), None)
        print(f"{who}: {severity} {name}: {text}" + (f"  (stated: {reason})" if reason else "  (NEW)"), flush=True)
        if not reason:
            new.append(name)
    check(not new, "findings that nobody has stated:", new)
    say("the scanners find nothing but what is stated")


if __name__ == "__main__":
    daemon.main(test)
