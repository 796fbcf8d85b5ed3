"""What operators install: Compose and Kubernetes take the manifests, the daemon takes their options, and the parts agree with
each other; a shell takes the package's scripts. Tests/Scripts/packages builds and installs it all."""

import copy
import glob
import json
import os
import re
import shlex
import shutil
import tempfile

import jsonschema
import yaml

import daemon
import stock_proxies
from daemon import check, say

DEPLOY = os.path.join(daemon.ROOT, "Deploy")
SCHEMAS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Schemas")
# The longest a stop takes, whatever hangs. Unit: seconds.
STOP = 60


def text(*path):
    return daemon.read(DEPLOY, *path)


def schema(name):
    return json.loads(daemon.read(SCHEMAS, name))


def problems(document, by):
    validator = jsonschema.Draft7Validator if "draft-07" in by["$schema"] else jsonschema.Draft202012Validator
    return [error.message[:200] for error in validator(by).iter_errors(document)]


def refused(document, by, change):
    """A schema that takes anything checks nothing."""
    bent = copy.deepcopy(document)
    change(bent)
    check(problems(bent, by), "a mistake is not seen in", bent)


def options():
    """The image's own: its user's number, how it is started, and where its health is asked."""
    package = text("package")
    return (int(re.search(r"^user=(\d+)$", package, re.M)[1]), shlex.split(re.search(r"--cmd '([^']*)'", package)[1]),
            re.search(r"--healthcheck 'CMD ([^']*)'", package)[1])


def taken(words, settings=None):
    """The daemon knows these options, and those of its file: what it lacks is the plan."""
    with tempfile.TemporaryDirectory() as folder:
        def moved(text):
            return text.replace("/etc/throng", folder).replace("/var/lib/throng", folder)

        if settings is not None:
            daemon.write(os.path.join(folder, "throng.yaml"), moved(settings))
        code, said, wrong = daemon.run(*map(moved, words))
    check(code == 1 and "plan.yaml" in said + wrong, words, "ended with", code, said, wrong)


def examples(settings):
    """What the package's file has as examples is taken, all at once, and is what it says."""
    told = re.sub(r"^#(?=[a-z ] *[a-z-]+:)", "", settings, flags=re.M)
    check(len(yaml.safe_load(told)) > len(yaml.safe_load(settings)) + 6, "no examples are found in", told)
    with tempfile.TemporaryDirectory() as folder:
        plan, path = os.path.join(folder, "plan.yaml"), os.path.join(folder, "throng.yaml")
        # Where there are several daemons, reports go to folders that all of them reach.
        daemon.write(plan, text("sample", "shop.yaml").replace("folder: reports/", "folder: /srv/reports/"))
        stock_proxies.settings_files(folder)
        daemon.write(path, told.replace("/etc/throng/plan.yaml", plan).replace("/etc/throng/tls", folder + "/tls"))
        code, said, wrong = daemon.run("doctor", "--show", "--json", "--config", path)
    shown = json.loads(said)
    check(code == 0 and not shown["problems"], code, shown["problems"], wrong)
    unset = {each["key"] for each in shown["settings"]} - {each["key"] for each in shown["settings"] if each["origin"] == "file"}
    check("traces" not in unset and "tls.key" not in unset and "stop.drain-seconds" not in unset, unset)


def compose():
    document = yaml.safe_load(text("compose.yaml"))
    by = schema("compose.json")
    check(not problems(document, by), "Compose refuses compose.yaml:", problems(document, by))
    refused(document, by, lambda bent: bent["services"]["throng"].update(read_onyl=True))
    refused(document, by, lambda bent: bent["services"]["throng"].update(cap_drop="ALL"))
    service = document["services"]["throng"]
    user, words, health = options()
    check(service["user"] == f"{user}:{user}", "its user is", service["user"])
    check(service["read_only"] is True and service["cap_drop"] == ["ALL"], "it may more than it needs:", service)
    check("no-new-privileges:true" in service["security_opt"], "it may become another:", service["security_opt"])
    check(" ".join(service["healthcheck"]["test"]) == f"CMD {health}", "its health is asked by", service["healthcheck"])
    named, bound = service["volumes"]
    check(named.split(":")[0] in document["volumes"], "it has no volume", named)
    data = words[words.index("--data") + 1]
    check(data.startswith(named.split(":")[1] + "/") and bound["target"] in words, "the image's paths are", words)
    check(not {int(each.split(":")[-1]) for each in service["ports"]} ^ {8080, 9464}, "its ports are", service["ports"])
    drain = service["environment"]["THRONG_STOP_DRAIN_SECONDS"]
    check(int(service["stop_grace_period"].rstrip("s")) > STOP + drain, "a stop has", service["stop_grace_period"])
    taken(words)
    say("Compose takes compose.yaml")


def objects(by):
    """All objects that Kustomize is to make of, checked; by kind and name."""
    folder = os.path.join(DEPLOY, "kubernetes")
    kustomization = yaml.safe_load(text("kubernetes", "kustomization.yaml"))
    files = {os.path.basename(path) for path in glob.glob(folder + "/*.yaml")} - {"kustomization.yaml"}
    check(set(kustomization["resources"]) == files, "listed are", kustomization["resources"], "and there are", files)
    found = {}
    for name in kustomization["resources"]:
        for each in yaml.safe_load_all(text("kubernetes", name)):
            kind = next((key for key, value in by["$defs"].items() if "kind" in value.get("properties", {})
                         and each["kind"] in value["properties"]["kind"].get("enum", [])
                         and each["apiVersion"] in value["properties"]["apiVersion"].get("enum", [])), None)
            check(kind, "nobody knows", each["apiVersion"], each["kind"])
            strict = {"$schema": by["$schema"], "$ref": f"#/$defs/{kind}", "$defs": by["$defs"]}
            check(not problems(each, strict), "Kubernetes refuses", name, problems(each, strict))
            refused(each, strict, lambda bent: bent["metadata"].update(nmae="throng"))
            found[each["kind"], each["metadata"]["name"]] = each, strict
    return kustomization, found


def kubernetes():
    kustomization, found = objects(schema("kubernetes.json"))
    stateful, strict = found["StatefulSet", "throng"]
    refused(stateful, strict, lambda bent: bent["spec"].update(replicas="one"))
    refused(stateful, strict, lambda bent: bent["spec"]["template"]["spec"]["containers"][0]["securityContext"].update(
        readOnlyRootFileSystem=True))
    spec, pod = stateful["spec"], stateful["spec"]["template"]["spec"]
    container, = pod["containers"]
    labels = spec["template"]["metadata"]["labels"]

    # What selects daemons selects this one's pods; its names come from a service without an address.
    selected = [spec["selector"]["matchLabels"], found["PodDisruptionBudget", "throng"][0]["spec"]["selector"]["matchLabels"],
                found["NetworkPolicy", "throng"][0]["spec"]["podSelector"]["matchLabels"]]
    services = [each for (kind, _), (each, _) in found.items() if kind == "Service"]
    selected += [service["spec"]["selector"] for service in services]
    check(all(each and each.items() <= labels.items() for each in selected), selected, "select other pods than", labels)
    headless = found["Service", spec["serviceName"]][0]["spec"]
    check(headless["clusterIP"] == "None" and headless["publishNotReadyAddresses"], "daemons have no names:", headless)
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    named = [port["targetPort"] for service in services for port in service["spec"]["ports"]]
    named += [container[probe]["httpGet"]["port"] for probe in ("startupProbe", "livenessProbe", "readinessProbe")]
    named += [port["port"] for rule in found["NetworkPolicy", "throng"][0]["spec"]["ingress"] for port in rule["ports"]]
    check(set(named) <= set(ports), named, "are not all among", ports)
    check(container["readinessProbe"]["httpGet"]["path"] == "/readyz", "a drain is not seen:", container["readinessProbe"])
    check({container[probe]["httpGet"]["path"] for probe in ("startupProbe", "livenessProbe")} == {"/healthz"},
          "a daemon that waits for PostgreSQL is taken for dead")

    # As small as Kubernetes' own standard for restricted pods has it, and smaller.
    user, words, _ = options()
    rights, own = pod["securityContext"], container["securityContext"]
    check(rights["runAsNonRoot"] and {rights[who] for who in ("runAsUser", "runAsGroup", "fsGroup")} == {user},
          "the image's user is", user, "and here it is", rights)
    check(rights["seccompProfile"]["type"] == "RuntimeDefault" and own["capabilities"] == {"drop": ["ALL"]}
          and own["allowPrivilegeEscalation"] is False and own["readOnlyRootFilesystem"] is True, "it may too much:", own)
    check(rights["fsGroupChangePolicy"] == "OnRootMismatch", "a start opens what is the daemon's own to its group")
    check(pod["enableServiceLinks"] is False, "variables of services stop the start")
    check(pod["automountServiceAccountToken"] is False, "it holds a token of Kubernetes")

    # The volume is who it is, and stays.
    mounts = {each["name"]: each["mountPath"] for each in container["volumeMounts"]}
    claim, = spec["volumeClaimTemplates"]
    data = next(word.split("=")[1] for word in container["args"] if word.startswith("--data="))
    check(data.startswith(mounts[claim["metadata"]["name"]] + "/"), "data go to", data, "and volumes to", mounts)
    check(data == words[words.index("--data") + 1], "the image has its data elsewhere:", words)
    volumes = {each["name"] for each in pod["volumes"]} | {claim["metadata"]["name"]}
    check(volumes == set(mounts), "mounted are", mounts, "of", volumes)
    check(set(spec["persistentVolumeClaimRetentionPolicy"].values()) == {"Retain"}, "volumes go with pods")
    maps = {each["name"] for each in kustomization["configMapGenerator"]}
    check(all(each["configMap"]["name"] in maps for each in pod["volumes"] if "configMap" in each), "no plan in", maps)
    images = {each["name"] for each in kustomization["images"]}
    check(container["image"] in images, "nobody says where", container["image"], "is")
    drain = int(next(each["value"] for each in container["env"] if each["name"] == "THRONG_STOP_DRAIN_SECONDS"))
    check(pod["terminationGracePeriodSeconds"] > STOP + drain, "a stop has", pod["terminationGracePeriodSeconds"])
    unready = container["readinessProbe"]["periodSeconds"] * container["readinessProbe"]["failureThreshold"]
    check(unready < drain, "it stops before anybody sees it")
    taken([word for part in container["args"] for word in part.split("=", 1)])
    several(found)
    if shutil.which("kubectl"):
        rendered(kustomization, found)
    say("Kubernetes takes", len(found), "objects")


def merged(one, patch):
    """As Kustomize merges: maps by key, lists of named things by name, all else is replaced."""
    if isinstance(one, dict) and isinstance(patch, dict):
        return {key: merged(one[key], patch[key]) if key in one and key in patch else {**one, **patch}[key]
                for key in [*one, *(set(patch) - set(one))]}
    if isinstance(one, list) and all(isinstance(each, dict) and "name" in each for each in [*one, *patch]):
        new = {each["name"]: each for each in patch}
        return [merged(each, new.pop(each["name"], each)) for each in one] + list(new.values())
    return patch


def several(found):
    """The component for several daemons: what it makes of the others is valid, and daemons reach each other."""
    component = yaml.safe_load(text("kubernetes", "several", "kustomization.yaml"))
    check("# components: [several]" in text("kubernetes", "kustomization.yaml"), "nobody says how to switch it on")
    paths = [each["path"] for each in component["patches"] if "path" in each]
    check({*paths, "kustomization.yaml"} == set(os.listdir(os.path.join(DEPLOY, "kubernetes", "several"))), "patches are", paths)
    made = {}
    for path in paths:
        patch = yaml.safe_load(text("kubernetes", "several", path))
        key = patch["kind"], patch["metadata"]["name"]
        one, strict = found[key]
        made[key] = merged(one, patch)
        check(not problems(made[key], strict), "Kubernetes refuses", path, problems(made[key], strict))
    container, = made["StatefulSet", "throng"]["spec"]["template"]["spec"]["containers"]
    port = {each["name"]: each["containerPort"] for each in container["ports"]}["members"]
    environment = {each["name"]: each.get("value") for each in container["env"]}
    service = made["Service", made["StatefulSet", "throng"]["spec"]["serviceName"]]
    check({each["name"]: each["targetPort"] for each in service["spec"]["ports"]}["members"] == "members", "no way to members")
    check(environment["THRONG_MEMBERS_LISTEN"] == f"0.0.0.0:{port}", environment)
    check(environment["THRONG_MEMBERS_ADVERTISE"] == f"http://$(POD_NAME).{service['metadata']['name']}:{port}", environment)
    policy = next(each["patch"] for each in component["patches"] if "patch" in each)
    rules = [each["value"]["ports"] for each in yaml.safe_load(policy)]
    check([{"port": "members", "protocol": "TCP"}] in rules and [{"port": port, "protocol": "TCP"}] in rules, rules)
    ours = {name: value or "host=db" for name, value in environment.items() if name.startswith("THRONG_")}
    _, said, wrong = daemon.run("doctor", "--show", "--json", variables=ours)
    told = {each["variable"]: each["origin"] for each in json.loads(said)["settings"]}
    check({told[name] for name in ours} == {"environment"}, "the daemon takes", told, wrong)


def rendered(kustomization, found):
    """What Kustomize makes of it, where it is there: the same objects, in the namespace, and a plan under its digest."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(os.path.join(DEPLOY, "kubernetes"), folder, dirs_exist_ok=True)
        shutil.copy(os.path.join(DEPLOY, "sample", "shop.yaml"), os.path.join(folder, "plan.yaml"))
        done = daemon.ran("kubectl", "kustomize", folder)
        path = os.path.join(folder, "kustomization.yaml")
        daemon.write(path, daemon.read(path).replace("# components:", "components:"))
        more = daemon.ran("kubectl", "kustomize", folder)
    for each in yaml.safe_load_all(more.stdout):
        strict = found.get((each["kind"], each["metadata"]["name"]), (None, None))[1]
        check(strict is None or not problems(each, strict), "Kubernetes refuses what Kustomize makes of several", each)
    check("replicas: 3" in more.stdout and "containerPort: 7080" in more.stdout, "several daemons are", more.stdout)
    made = {(each["kind"], each["metadata"]["name"]): each for each in yaml.safe_load_all(done.stdout)}
    plan, = {each for each in made if each[0] == "ConfigMap"}
    check(set(made) == set(found) | {plan} and made[plan]["data"]["plan.yaml"], "Kustomize makes", set(made))
    for key, (_, strict) in found.items():
        check(not problems(made[key], strict), "Kubernetes refuses what Kustomize makes:", problems(made[key], strict))
        check(key[0] == "Namespace" or made[key]["metadata"]["namespace"] == kustomization["namespace"], key, "is elsewhere")
    pod = made["StatefulSet", "throng"]["spec"]["template"]["spec"]
    check(plan[1] in {each.get("configMap", {}).get("name") for each in pod["volumes"]}, "a change of the plan starts no pod")
    image, = kustomization["images"]
    used = pod["containers"][0]["image"]
    check(used == f"{image['newName']}:{image['newTag']}", "its image is", used)


def scripts():
    """The package's scripts, by a shell and by what knows shells; and what `throng --help` becomes."""
    folder = os.path.join(DEPLOY, "debian")
    for path in glob.glob(folder + "/throng.post*"):
        daemon.ran("sh", "-n", path)
    paths = [*glob.glob(folder + "/throng.post*"), os.path.join(DEPLOY, "package")]
    if shutil.which("shellcheck"):
        daemon.ran("shellcheck", *paths)
    unit = text("systemd", "throng.service")
    command = re.search(r"^ExecStart=/usr/local/bin/throng (.*)$", unit, re.M)[1]
    check("EnvironmentFile=-/etc/throng/environment" in unit, "the unit does not read the environment's file")
    check("throng.yaml etc/throng" in text("debian", "throng.install").splitlines(), "the package has no settings")
    settings = text("debian", "throng.yaml")
    taken(shlex.split(command), settings)
    examples(settings)

    told = daemon.run("--experimental-dump-help")[1]
    with tempfile.TemporaryDirectory() as pages:
        shop = os.path.join(DEPLOY, "sample", "shop.yaml")
        said = daemon.write(
            os.path.join(pages, "settings"), daemon.run("doctor", "--show", "--json", "--config", "/dev/null", "--plan", shop)[1])
        daemon.ran(os.path.join(folder, "manual.py"), pages, "1.2.3", "2026-01-01", said, input=told)
        os.remove(said)
        commands = {each["commandName"] for each in json.loads(told)["command"]["subcommands"]} - {"help"}
        made = set(os.listdir(pages))
        check({"throng.1"} | {f"throng-{each}.1" for each in commands} == made, "pages are", made)
        page = daemon.read(pages, "throng-serve.1")
    for words in ('.TH "THRONG\\-SERVE" 1 "2026-01-01" "throng 1.2.3"', "\\-\\-tls\\-certificate", "THRONG_STOP_DRAIN_SECONDS"):
        check(words in page, "the manual of serve does not say", words)
    say("the package's scripts are sound, and", len(commands) + 1, "pages of the manual are made")


def test():
    compose()
    kubernetes()
    scripts()
