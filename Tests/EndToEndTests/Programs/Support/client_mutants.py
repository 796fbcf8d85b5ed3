"""Python clients that each break one rule, as programs for `throng conform`: python3 client_mutants.py NAME."""

import json
import os
import re
import secrets
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../../Deploy/clients/python"))
import conform  # noqa: E402
from throng_client import Answer, Client  # noqa: E402


class Silent(Client):
    """Records nothing."""
    def record(self, event, fields=None):
        pass


class Chatty(Client):
    """Names a field that no plan has."""
    def _post(self, path, body, *query):
        return super()._post(path, body.replace('"fields": {', '"fields": {"mood": "fine", ', 1), *query)


class Raw(Client):
    """Leaves it to the daemon to coarsen."""
    def _event(self, purpose, name, given, at):
        event = super()._event(purpose, name, given, at)
        return event and {**event, "fields": {field: given.get(field, value) for field, value in event["fields"].items()}}


class Ahead(Client):
    """Names the next window."""
    def _post(self, path, body, *query):
        return super()._post(path, re.sub(r'"window": (\d+)', lambda match: f'"window": {int(match[1]) + 1}', body), *query)


class Lasting(Client):
    """Does not rotate."""
    def _identifier(self, purpose, window):
        return super()._identifier(purpose, 0)


class Linked(Client):
    """Has one identifier for all purposes."""
    def _identifier(self, purpose, window):
        return super()._identifier("all", int(self._now() // 900))


class Named(Client):
    """Makes an identifier where none is wanted."""
    def _post(self, path, body, *query):
        return super()._post(path, json.dumps({"id": "0" * 32, **json.loads(body)}), *query)


class Renaming(Client):
    """Gives a batch another name each time."""
    def _post(self, path, body, *query):
        return super()._post(path, re.sub(r'"batch": "\w+"', f'"batch": "{secrets.token_hex(16)}"', body), *query)


class Forgetful(Client):
    """Keeps nothing on disk."""
    def _save(self):
        pass


class Hasty(Client):
    """Does not wait."""
    def _must_wait(self, what):
        return False


class Stubborn(Client):
    """Takes a refusal for an outage."""
    def _post(self, path, body, *query):
        answer = super()._post(path, body, *query)
        return Answer(500, {}, b"") if answer.status == 422 else answer


class Moving(Client):
    """Moves a batch without an answer into the next window."""
    def _settle(self, purpose, returns):
        super()._settle(purpose, returns or self._now() >= self._state["batches"][purpose]["until"])


class Presuming(Client):
    """Does not ask."""
    def _allowed(self, purpose, by=None):
        return not self._signals.intersection(purpose["refused_by"])

    def _pack(self, purpose):
        self._state["consent"].setdefault(purpose["name"], 1)
        return super()._pack(purpose)


class Outdated(Client):
    """Takes any version of consent for the last one."""
    def _allowed(self, purpose, by=None):
        return super()._allowed({**purpose, "consent_version": 1}, by)


class Deaf(Client):
    """Hears no opt-out."""
    def _allowed(self, purpose, by=None):
        return super()._allowed({**purpose, "refused_by": []}, by)


class Keeping(Client):
    """Takes nothing back."""
    def _take_back(self):
        pass


class Timeless(Client):
    """Believes its own clock."""
    def _correct(self, correction):
        pass


BREAKS = {
    Silent: "counted", Chatty: "planned", Raw: "coarsened", Ahead: "windows", Lasting: "identifiers", Linked: "identifiers",
    Named: "no-identifier", Renaming: "same-bytes", Forgetful: "exactly-once", Hasty: "patience", Stubborn: "refused",
    Moving: "expired", Presuming: "consent", Outdated: "consent-version", Deaf: "opt-out", Keeping: "taken-back",
    Timeless: "clock"}

if __name__ == "__main__":
    conform.main(conform.Driver({kind.__name__: kind for kind in BREAKS}[sys.argv[1]]))
