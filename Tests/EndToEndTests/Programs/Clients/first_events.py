"""Each block of Clients.md does what the page says: what it installs is there, its first event arrives, and counts into nothing as
long as it says test and once as soon as it does not. The module's types are those of what it exports."""

import glob
import os
import re
import shutil
import sys
import tempfile

import daemon
import shop
from daemon import ROOT, check, say

ADDRESS = "https://count.example.com"


def blocks(language):
    """The blocks of the page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", daemon.read(ROOT, "Sources", "Throng.docc", "Clients.md"), re.M | re.S)


def run(command, folder, **variables):
    return daemon.ran(*command, cwd=folder, seconds=1500, env={**os.environ, **variables}).stdout


def shell(block, folder):
    """Runs a block of commands beside a copy of the clients."""
    return run(["bash", "-euc", block], folder, npm_config_offline="true", npm_config_audit="false", npm_config_fund="false",
               PIP_NO_INDEX="1", PIP_TARGET=os.path.join(folder, "site"), PIP_DISABLE_PIP_VERSION_CHECK="1")


def variants(block, house):
    """A block for this daemon: as it stands, and for people."""
    here = block.replace(ADDRESS, f"http://127.0.0.1:{house.port}")
    check(here != block and ("test: true" in here or "test=True" in here or ".test(true)" in here), "a block tests:", block)
    return here, re.sub(r",? ?(test: true|test=True|\.test\(true\))", "", here)


def python(house, folder):
    shell("".join(block for block in blocks("sh") if "pip" in block), folder)
    for block in blocks("python"):
        for text in variants(block, house):
            shutil.rmtree(os.path.join(folder, "throng-data"), ignore_errors=True)
            said = run([sys.executable, "-c", text], folder, PYTHONPATH=os.path.join(folder, "site"))
            figures = "counted=0, tested=1" if "test=True" in text else "counted=1, tested=0"
            check(f"waiting=0, {figures}, dropped={{}}, problem=None" in said, "Python says", said)
    check(not glob.glob(folder + "/**/*alice*", recursive=True), "the sender writes nobody down")
    return len(blocks("python"))


def java(house, folder):
    build = next(block for block in blocks("sh") if "java/build" in block).splitlines()
    shell(build[0], folder)
    for text in variants(blocks("java")[0], house):
        shutil.rmtree(os.path.join(folder, "throng-data"), ignore_errors=True)
        daemon.write(os.path.join(folder, "First.java"), text)
        said = shell(build[1], folder)
        word = "tested" if "test(true)" in text else "counted"
        check(said.strip() == word + " 1, waiting 0, dropped {}", "Java says", said)
    daemon.write(os.path.join(folder, "Leaving.java"), LEAVING)
    said = run(["bash", "-c", f"java -cp 'libs/*' Leaving.java http://127.0.0.1:{house.port} 2>&1"], folder)
    check(re.findall("^/v1/.*", said, re.M) == ["/v1/batches product 202", "/v1/withdraw product 202"] * 2,
          "Java's log has", said)
    check("has no purpose advert; it has product, marketing" in said and "has no field colour" in said, "Java warns of", said)
    run(["java", "-cp", "libs/*", "throng.Vectors", os.path.join(ROOT, "Deploy", "conform", "vectors.json")], folder)
    return 1


# Somebody who withdraws, and one who has their device forgotten: in the end nothing of either is counted.
LEAVING = """
import java.io.File;
import java.util.Map;
import throng.Throng;

class Leaving {
    static void tell(Throng throng) throws Exception {
        throng.send();
        for (Throng.Sent each : throng.log()) System.out.println(each.path + " " + each.purpose + " " + each.status);
        throng.forget();
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, String> context = Map.of("colour", "red", "channel", "email");
        for (boolean isForgotten : new boolean[] {false, true})
            try (Throng throng = new Throng.Options(arguments[0], "shop", new File("leaving")).context(context).start()) {
                throng.setConsent("advert", true);
                throng.setConsent("product", true);
                throng.record("purchase", Map.of("amount", 24.9));
                if (isForgotten) tell(throng);
                else throng.send();
                throng.setConsent("product", isForgotten);
                tell(throng);
            }
    }
}
"""


# What the module meets in place of a page: enough for a beacon that is told what happens.
PAGE = """const nothing = () => {};
globalThis.window = globalThis;
for (const name of ["HTMLFormElement", "ShadowRoot"]) globalThis[name] = class { submit() {} };
globalThis.addEventListener = nothing;
globalThis.document = {scripts: [], addEventListener: nothing, referrer: "", hidden: false};
globalThis.location = {pathname: "/"};
globalThis.history = {pushState: nothing, replaceState: nothing, length: 2};
globalThis.screen = {width: 390, height: 844};
Object.defineProperty(globalThis, "navigator", {value: {userAgent: "Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0", onLine: true}});
"""
SENT = """
for (let wait = 0; wait < 200 && !throng.sent.some(({answer}) => answer); wait++) await new Promise((next) => setTimeout(next, 100));
console.log(throng.sent.map(({answer}) => JSON.stringify(answer)).join());
process.exit();"""


def module(house, folder):
    daemon.write(os.path.join(folder, "package.json"), '{"name": "page", "private": true, "type": "module"}')
    shell("".join(block for block in blocks("sh") if "npm" in block), folder)
    for text in variants(blocks("js")[0], house):
        daemon.write(os.path.join(folder, "page.js"), text.replace("const throng", PAGE + "const throng", 1) + SENT)
        said = run(["node", "page.js"], folder)
        expected = '{"accepted":0,"refused":[],"test":1}' if "test: true" in text else '{"accepted":1,"refused":[]}'
        check(said.strip() == expected, "the module says", said)
    exported = run(["node", "-p", "import('throng-beacon').then((all) => console.log(Object.keys(all).join()))"], folder)
    types = daemon.read(folder, "node_modules", "throng-beacon", "index.d.ts")
    declared = re.findall(r"^export (?:declare )?(?:function|const|class) (\w+)", types, re.M)
    check(exported.split()[-1] == ",".join(sorted(declared)), "declared is", declared, "and exported", exported)
    if shutil.which("tsc"):
        lines = "// @ts-expect-error no app\nstart({ server: '' });\n"
        daemon.write(os.path.join(folder, "page.ts"), blocks("js")[0].replace("throng.record", "throng?.record") + lines)
        run(["tsc", "--strict", "--noEmit", "--module", "nodenext", "--moduleResolution", "nodenext", "--lib", "es2022,dom",
             "page.ts"], folder)
    return 1


def test():
    house = daemon.Daemon(shop.plan()).start()
    with tempfile.TemporaryDirectory(prefix="te-first-", dir="/tmp") as folder:
        # Commands of the page run beside the clients, and leave nothing there.
        os.makedirs(os.path.join(folder, "Sources", "ThrongServer"))
        shutil.copytree(os.path.join(ROOT, "Deploy", "clients"), os.path.join(folder, "Deploy", "clients"))
        shutil.copytree(os.path.join(ROOT, "Sources", "ThrongServer", "Web"), os.path.join(folder, "Sources", "ThrongServer", "Web"))
        shutil.copy(os.path.join(ROOT, "LICENSE"), folder)
        clients = python(house, folder) + java(house, folder) + module(house, folder)
    house.drain()
    found = shop.counted(house, "purchases")
    check(found == clients == 4, "of", clients, "clients count", found)
    tests = house.metrics()['throng_batches_total{outcome="test"}']
    check(tests == clients, "of", clients, "clients test", tests)
    check(house.stop() == 0, "serve stops gracefully")
    say(f"{clients} clients are installed by the page, and send their first event")
