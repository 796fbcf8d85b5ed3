"""Seals what goes through a relay: oblivious HTTP (RFC 9458) over binary HTTP (RFC 9292) and HPKE (RFC 9180).

It needs `cryptography` from PyPI, and nothing else beside the standard library. Whatever the relay answers, and whatever is wrong
with its keys, nothing is ever sent in another way: where a request can't be sealed, or no answer comes that the daemon sealed,
`Unsealed` is raised, an OSError as for any network that fails.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import time
import urllib.parse
from typing import Callable, Mapping, Optional

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from throng_folder import NO_ANSWER, Answer

Transport = Callable[[str, str, Optional[bytes], Mapping[str, str]], Answer]

_X25519 = b"\x00\x20"
_SUITE = b"\x00\x01\x00\x01"  # HKDF-SHA256, AES-128-GCM.
_SIZES = [1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20]
_KEY_AGE = 20 * 3600  # The daemon opens what was sealed for a key until the end of the day after the key's own.
_KNOWN = ("accept-language", "content-encoding", "content-type", "dnt", "sec-gpc")


class Unsealed(OSError):
    """It could not be sealed, or nobody answered who can open it. It was not sent in another way."""


# HPKE in base mode, RFC 9180. Nothing here is longer than one block of the hash.

def _mac(key: bytes, text: bytes) -> bytes:
    return hmac.new(key, text, hashlib.sha256).digest()


def _extract(suite: bytes, salt: bytes, label: bytes, text: bytes) -> bytes:
    return _mac(salt, b"HPKE-v1" + suite + label + text)


def _expand(suite: bytes, key: bytes, label: bytes, context: bytes, length: int) -> bytes:
    return _mac(key, bytes([0, length]) + b"HPKE-v1" + suite + label + context + b"\x01")[:length]


class Sender:
    """A message for one recipient, and a secret that both have.

    - secret: of an ephemeral key; only tests choose one.
    """

    def __init__(self, public: bytes, info: bytes, secret: Optional[bytes] = None) -> None:
        own = X25519PrivateKey.from_private_bytes(secret or os.urandom(32))
        self.enc = own.public_key().public_bytes_raw()
        kem = b"KEM" + _X25519
        # Raises ValueError for a key of small order, whose secret would be known to everybody.
        agreed = own.exchange(X25519PublicKey.from_public_bytes(public))
        shared = _expand(kem, _extract(kem, b"", b"eae_prk", agreed), b"shared_secret", self.enc + public, 32)
        self._suite = b"HPKE" + _X25519 + _SUITE
        self._context = (b"\0" + _extract(self._suite, b"", b"psk_id_hash", b"")
                         + _extract(self._suite, b"", b"info_hash", info))
        self._secret = _extract(self._suite, shared, b"secret", b"")

    def _derived(self, label: bytes, length: int) -> bytes:
        return _expand(self._suite, self._secret, label, self._context, length)

    def seal(self, message: bytes) -> bytes:
        """The only message; a second one would need another nonce."""
        return AESGCM(self._derived(b"key", 16)).encrypt(self._derived(b"base_nonce", 12), message, b"")

    def export(self, context: bytes, length: int) -> bytes:
        return _expand(self._suite, self._derived(b"exp", 32), b"sec", context, length)


class SealedRequest:
    """What goes to the relay, and what opens the answer: RFC 9458, sections 4.3 and 4.4."""

    def __init__(self, message: bytes, number: int, public: bytes, secret: Optional[bytes] = None) -> None:
        header = bytes([number]) + _X25519 + _SUITE
        sender = Sender(public, b"message/bhttp request\0" + header, secret)
        self.bytes = header + sender.enc + sender.seal(message)
        self._enc, self._secret = sender.enc, sender.export(b"message/bhttp response", 16)

    def open(self, response: bytes) -> bytes:
        pseudo = _mac(self._enc + response[:16], self._secret)
        key, nonce = _mac(pseudo, b"key\x01")[:16], _mac(pseudo, b"nonce\x01")[:12]
        try:
            return AESGCM(key).decrypt(nonce, response[16:], b"")
        except (InvalidTag, ValueError) as error:
            raise Unsealed("What came back can't be opened.") from error


# Binary HTTP

def _number(value: int) -> bytes:
    size = next(size for size in range(4) if value < 1 << (8 * (1 << size) - 2))
    return (value | size << (8 * (1 << size) - 2)).to_bytes(1 << size, "big")


def _prefixed(part: bytes) -> bytes:
    return _number(len(part)) + part


def request(method: str, path: str, body: bytes, headers: Mapping[str, str]) -> bytes:
    """A request of known length, with zeros up to one of few sizes."""
    fields = b"".join(_prefixed(name.encode()) + _prefixed(value.encode()) for name, value in headers.items() if name in _KNOWN)
    control = b"".join(_prefixed(part) for part in (method.encode(), b"https", b"", path.encode()))
    message = b"\0" + control + _prefixed(fields) + _prefixed(body) + b"\0"
    mebibytes = -(-len(message) >> 20) << 20
    return message.ljust(next((size for size in _SIZES if size >= len(message)), mebibytes), b"\0")


def response(data: bytes) -> Answer:
    """A response of known length."""
    place = 0

    def number() -> int:
        nonlocal place
        length = 1 << (data[place] >> 6)
        place += length
        return int.from_bytes(data[place - length:place], "big") & ~(3 << (8 * length - 2))

    def part() -> bytes:
        nonlocal place
        length = number()
        place += length
        if place > len(data):
            raise Unsealed("What came back ends too early.")
        return data[place - length:place]

    try:
        if number() != 1:
            raise Unsealed("What came back is no response.")
        status, fields, end = number(), {}, number()
        end += place
        while place < end:
            name = part().decode()
            fields[name] = part().decode()
        return Answer(status, fields, part())
    except (IndexError, UnicodeDecodeError) as error:
        raise Unsealed("What came back is no response.") from error


class Relay:
    """The way through a relay.

    - address: `relay` of the public plan.
    """

    def __init__(self, address: str, transport: Transport, clock: Callable[[], float] = time.monotonic) -> None:
        found = urllib.parse.urlsplit(address)
        is_here = found.scheme == "http" and found.hostname in ("127.0.0.1", "::1", "localhost")
        if found.scheme != "https" and not is_here or not found.netloc or found.path:
            raise Unsealed("The plan names no relay that begins with https://.")
        self.address, self._transport, self._clock = address, transport, clock
        self._key: Optional[tuple[int, bytes]] = None
        self._until = 0.0

    def ask(self, gateway: str, method: str, path: str, body: Optional[bytes], headers: Mapping[str, str]) -> Answer:
        """One request. A key that the gateway does not know any more is asked for once anew.

        - gateway: who it is, `Throng-Gateway` of a plan's answer.
        """
        message = request(method, path, body or b"", headers)
        while True:
            is_new = self._key is None or self._clock() >= self._until
            number, public = self._learn(gateway) if is_new else self._key
            try:
                sealed = SealedRequest(message, number, public)
            except ValueError as error:
                raise Unsealed("The gateway's key is none.") from error
            answer = self._transport(
                "POST", self.address + "/v1/ohttp", sealed.bytes, {"content-type": "message/ohttp-req"})
            if answer.status == 200:
                return response(sealed.open(answer.body))
            # That it is busy may be true of the relay, too. Nothing else that comes unsealed is the daemon's word.
            if answer.status == 503:
                return answer
            is_known = answer.status != 400 or answer.json().get("error") != "oblivious_key"
            if not is_known:
                self._key = None
            if is_known or is_new:
                raise Unsealed(f"The relay answered {answer.status}.")

    def _learn(self, gateway: str) -> tuple[int, bytes]:
        """The key of the day, from the relay, which gives everybody the same; the gateway vouches for it."""
        try:
            answer = self._transport("GET", self.address + "/v1/ohttp-keys", None, {})
        except NO_ANSWER as error:
            raise Unsealed("The relay has no keys.") from error
        try:
            Ed25519PublicKey.from_public_bytes(base64.b64decode(gateway, validate=True)).verify(
                base64.b64decode(answer.headers.get("throng-signature", ""), validate=True),
                b"throng ohttp-keys\0" + answer.body)
        except (InvalidSignature, ValueError) as error:
            raise Unsealed("Nobody vouches for the relay's keys.") from error
        place = 0
        while answer.status == 200 and place + 2 < len(answer.body):
            length = int.from_bytes(answer.body[place:place + 2], "big")
            each = answer.body[place + 2:place + 2 + length]
            if each[1:3] == _X25519 and len(each) > 37 and _SUITE in [each[at:at + 4] for at in range(37, len(each), 4)]:
                self._key, self._until = (each[0], each[3:35]), self._clock() + _KEY_AGE
                return self._key
            place += 2 + length
        raise Unsealed("The relay has no key for X25519.")
