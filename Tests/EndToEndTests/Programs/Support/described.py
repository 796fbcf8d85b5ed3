"""An OpenAPI 3.1 document and an answer of the daemon's: whether the document allows it, by JSON Schema Draft 2020-12."""

import json
import re

import jsonschema
import referencing
from referencing.jsonschema import DRAFT202012

from daemon import check

# Of keys, secrets and networks.
SENDERS = {(403, word) for word in ("key_required", "unknown_key", "revoked_key")}
SENDERS |= {(401, "secret_required"), (401, "unknown_secret"), (429, "network_quota")}


class Description:
    def __init__(self, document):
        self.document = document
        resource = referencing.Resource(contents=document, specification=DRAFT202012)
        self.registry = referencing.Registry().with_resource("urn:api", resource)
        self.provoked = set()

    def part(self, found):
        """What stands here, or where it points to."""
        while isinstance(found, dict) and "$ref" in found:
            place = found["$ref"]
            found = self.document
            for step in place.removeprefix("#/").split("/"):
                found = found[step.replace("~1", "/").replace("~0", "~")]
        return found

    def matches(self, schema, value):
        """What is wrong with a value; empty where nothing is. References lead into the document."""
        def rooted(part):
            if isinstance(part, dict):
                return {key: f"urn:api{inner}" if key == "$ref" else rooted(inner) for key, inner in part.items()}
            return [rooted(inner) for inner in part] if isinstance(part, list) else part

        validator = jsonschema.Draft202012Validator(rooted(schema), registry=self.registry)
        return [error.message for error in validator.iter_errors(value)]

    def template(self, path):
        path = path.split("?")[0]
        return next((each for each in self.document["paths"] if re.fullmatch(re.sub(r"\{[^}]+\}", "[^/]+", each), path)), None)

    def check(self, method, path, status, headers, body):
        """Fails unless the document has this answer to that request; notes its error."""
        what = f"{method} {path} {status} {headers.get('content-type')} {body[:200]}"
        template = self.template(path)
        if status in (404, 405) and (template is None or method.lower() not in self.document["paths"][template]):
            # No operation lists what an address without one answers.
            answer = self.document["components"]["responses"]["NotFound" if status == 404 else "NotAllowed"]
        else:
            check(template is not None, "no such path:", what)
            answer = self.part(self.document["paths"][template][method.lower()]["responses"].get(str(status)))
        check(answer is not None, "no such status:", what)
        for name, header in answer.get("headers", {}).items():
            header, value = self.part(header), headers.get(name.lower())
            check(value is not None or not header.get("required"), name, "is missing:", what)
            wrong = self.matches(header["schema"], value) if value is not None else []
            check(not wrong, name, "is", value, wrong, what)
        content = answer.get("content")
        if not content:
            return check(not body, "no body is described:", what)
        kind = headers.get("content-type")
        check(kind in content, "another content type:", what)
        value = json.loads(body) if kind.split(";")[0].endswith("json") else body.decode("latin-1" if kind.startswith("application/ohttp") else "utf-8")
        wrong = self.matches(content[kind]["schema"], value)
        check(not wrong, wrong, what)
        if kind == "application/problem+json":
            self.provoked.add((status, value["error"]))

    def errors(self):
        """Each status with each error that it can have."""
        contents = [each for answer in self.document["components"]["responses"].values() for each in answer.get("content", {}).values()]
        known = [each["schema"]["allOf"][1]["properties"] for each in contents]
        return {(each["status"]["const"], error) for each in known for error in each["error"]["enum"]}
