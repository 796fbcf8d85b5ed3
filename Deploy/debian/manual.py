#!/usr/bin/env python3
"""Makes manual pages from what the program says of itself: one for the program, and one for each of its commands.

Usage: throng --experimental-dump-help | manual.py FOLDER VERSION DATE [SETTINGS]     writes throng.1, throng-serve.1 … into FOLDER

SETTINGS is what `throng doctor --show --json` printed: the page of serve lists them.
"""

import json
import os
import re
import sys

HEADING = re.compile(r"[A-Z]{4,}( [A-Z]+)*( \(.*\))?$")


def escaped(text):
    """Text that roff prints as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    return "\n".join("\\&" + line if line.startswith((".", "\\(aq")) else line for line in text.split("\n"))


def bold(text):
    return "\\fB" + escaped(text) + "\\fR"


def slanted(text):
    return "\\fI" + escaped(text) + "\\fR"


def spelled(name):
    return {"long": "--", "short": "-", "longWithSingleDash": "-"}[name["kind"]] + name["name"]


def discussion(text):
    """Paragraphs. Lines that are set off stay lines, and a line in capitals heads what follows."""
    text = text.replace("Deploy/sample", "/usr/share/throng/sample")
    lines = []
    for block in re.split(r"\n\s*\n", text.strip("\n")) if text.strip() else []:
        rest = block.split("\n")
        if HEADING.match(rest[0]):
            name, _, remark = rest.pop(0).partition(" (")
            lines.append(f'.SH "{escaped(name)}"')
            if remark:
                lines.append(escaped(remark.rstrip(")")[:1].upper() + remark.rstrip(")")[1:]) + ".")
        if any(line.startswith("  ") for line in rest):
            lines += [".PP", ".nf", escaped("\n".join(rest)), ".fi"]
        elif rest:
            lines += [".PP", escaped("\n".join(rest))]
    return lines


def shown(command):
    """What is to be said of; that every command takes --help and --version is said once."""
    said = [] if command.get("superCommands") else ["help", "version"]
    return [argument for argument in command.get("arguments", [])
            if argument.get("shouldDisplay", True)
            and (argument.get("valueName") not in ("help", "version") or argument["valueName"] in said)]


def personal(text):
    """A data directory as it is for everybody, and not for who builds the package."""
    return re.sub(r"\S*/throng(-try)?$", r"/var/lib/throng\1 for root, else ~/.local/state/throng\1", text)


def call(command):
    """How it is called, on one line."""
    words = [bold(" ".join([*command.get("superCommands", []), command["commandName"]]))]
    for argument in shown(command):
        value = slanted(argument.get("valueName", "value"))
        if argument["kind"] == "positional":
            word = value
        else:
            word = bold(spelled(argument["preferredName"]))
            word += "" if argument["kind"] == "flag" else " " + value
        if argument.get("isRepeating"):
            word += " ..."
        words.append(f"[{word}]" if argument.get("isOptional") else word)
    if children(command):
        words.append(slanted("command"))
    return " ".join(words)


def arguments(command):
    lines = []
    for argument in shown(command):
        value = argument.get("valueName", "value")
        if argument["kind"] == "positional":
            tag = slanted(value)
        else:
            tag = ", ".join(bold(spelled(name)) for name in argument["names"])
            tag += "" if argument["kind"] == "flag" else " " + slanted(value)
        abstract = re.sub(r"(?<=\(default: )[^)]*(?=\))", lambda found: personal(found[0]), argument.get("abstract", ""))
        words = [abstract, argument.get("discussion", "")]
        if argument.get("defaultValue"):
            words.append(f"(default: {personal(argument['defaultValue'])})")
        lines += [".TP", tag, escaped(" ".join(" ".join(words).split())) or "\\&"]
    return lines


def children(command):
    return [child for child in command.get("subcommands", [])
            if child["commandName"] != "help" and child.get("shouldDisplay", True)]


def sections(command):
    """Commands of a command, each with its own, one section each."""
    lines = []
    for child in children(command):
        lines += [".SS " + '"' + escaped(" ".join([*child.get("superCommands", []), child["commandName"]])) + '"']
        lines += [".PP", call(child), ".PP", escaped(child.get("abstract", ""))]
        lines += [line.replace(".SH ", ".PP\n") for line in discussion(child.get("discussion", ""))]
        lines += arguments(child) + sections(child)
    return lines


def environment(settings):
    """The variables of serve, each with its default and what it means."""
    lines = ['.SH ENVIRONMENT', "A variable of THRONG_ that is none of these stops the start."]
    for each in settings:
        unit = f" {each['unit']}" if "unit" in each else ""
        lines += [".TP", bold(each["variable"]), escaped(f"{each['meaning']} (default: {personal(each['default'])}{unit})")]
    return lines


def page(command, version, date, settings):
    """The page's name and its text."""
    words = [*command.get("superCommands", []), command["commandName"]]
    name = "-".join(words)
    lines = [
        f'.TH "{escaped(name.upper())}" 1 "{date}" "throng {version}" "Throng"',
        ".SH NAME", f"{escaped(name)} \\- {escaped(command['abstract'].rstrip('.'))}",
        ".SH SYNOPSIS", ".nh", ".ad l", call(command), ".ad", ".hy",
    ]
    text = discussion(command.get("discussion", ""))
    if not text or not text[0].startswith(".SH"):
        lines.append(".SH DESCRIPTION")
    lines += text or [escaped(command["abstract"])]
    if shown(command):
        lines += [".SH OPTIONS", *arguments(command)]
    if command["commandName"] == "serve":
        lines += environment(settings)
    if len(words) == 1:
        lines.append(".SH COMMANDS")
        for child in children(command):
            lines += [".TP", f"{bold(name + '-' + child['commandName'])}(1)", escaped(child["abstract"])]
    elif children(command):
        lines += [".SH COMMANDS", *sections(command)]
    others = [f"{bold('throng-' + other)}(1)" for other in ("serve", "plan", "release", "report")]
    lines += [".SH SEE ALSO", ", ".join([bold("throng") + "(1)", *others]) if len(words) > 1 else ", ".join(others)]
    lines += [".PP", "Operations, by which to begin, and all other pages are in " + slanted("/usr/share/doc/throng") + "."]
    return name, "\n".join(lines) + "\n"


def main():
    folder, version, date, *path = sys.argv[1:]
    settings = []
    for each in path:
        with open(each) as file:
            settings = json.load(file)["settings"]
    command = json.load(sys.stdin)["command"]
    os.makedirs(folder, exist_ok=True)
    for each in [command, *children(command)]:
        name, text = page(each, version, date, settings)
        with open(os.path.join(folder, name + ".1"), "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
