"""Oblivious HTTP as RFC 9458 has it, written here over PyPI's pyhpke: it opens what Throng seals, and Throng opens what it
seals, requests and responses, with both mechanisms and both ciphers, for 80 messages of random lengths."""

import os
import random
import subprocess
import sys

import daemon
from daemon import check, say

sys.path.insert(0, os.path.join(daemon.ROOT, ".build", "pyhpke"))
from cryptography.exceptions import InvalidTag  # noqa: E402
from cryptography.hazmat.primitives import hashes  # noqa: E402
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305  # noqa: E402
from cryptography.hazmat.primitives.hmac import HMAC  # noqa: E402
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand  # noqa: E402
from pyhpke import AEADId, CipherSuite, KDFId, KEMId  # noqa: E402

ROUNDS = int(os.environ.get("THRONG_TEST_SEALED", "80"))
KEMS = {"x25519": (0x20, KEMId.DHKEM_X25519_HKDF_SHA256, 32), "p256": (0x10, KEMId.DHKEM_P256_HKDF_SHA256, 65)}
CIPHERS = {"aes128": (1, AEADId.AES128_GCM, AESGCM, 16), "chacha": (3, AEADId.CHACHA20_POLY1305, ChaCha20Poly1305, 32)}


def parties(kem, cipher):
    kem_id, kem_name, enc_length = KEMS[kem]
    cipher_id, cipher_name, _, _ = CIPHERS[cipher]
    header = b"".join(number.to_bytes(2, "big") for number in (kem_id, 1, cipher_id))
    return CipherSuite.new(kem_name, KDFId.HKDF_SHA256, cipher_name), header, enc_length


def answer_box(secret, enc, nonce, cipher):
    """The key and the nonce of a response, section 4.4."""
    _, _, box, length = CIPHERS[cipher]
    mac = HMAC(enc + nonce, hashes.SHA256())
    mac.update(secret)
    pseudo_random = mac.finalize()
    key = HKDFExpand(hashes.SHA256(), length, b"key").derive(pseudo_random)
    return box(key), HKDFExpand(hashes.SHA256(), 12, b"nonce").derive(pseudo_random)


class Client:
    """Seals a request for the first key of a list, and opens its response."""

    def __init__(self, listed, kem, cipher, message):
        suite, header, enc_length = parties(kem, cipher)
        length = int.from_bytes(listed[:2], "big")
        configuration = listed[2:2 + length]
        check(configuration[1:3] == header[:2], "the key is of another mechanism")
        public = suite.kem.deserialize_public_key(configuration[3:3 + enc_length])
        offered = configuration[3 + enc_length + 2:]
        check(header[2:] in [offered[place:place + 4] for place in range(0, len(offered), 4)], "it is not offered")
        header = configuration[:1] + header
        self.enc, sender = suite.create_sender_context(public, b"message/bhttp request\0" + header)
        self.bytes = header + self.enc + sender.seal(message)
        self.cipher, self.length = cipher, CIPHERS[cipher][3]
        self.secret = sender.export(b"message/bhttp response", self.length)

    def open(self, response):
        box, nonce = answer_box(self.secret, self.enc, response[:self.length], self.cipher)
        return box.decrypt(nonce, response[self.length:], b"")


class Gateway:
    def __init__(self, kem, number):
        self.kem, self.number = kem, number
        suite, _, _ = parties(kem, "aes128")
        self.pair = suite.kem.derive_key_pair(os.urandom(32))

    @property
    def listed(self):
        kem_id, _, _ = KEMS[self.kem]
        public = self.pair.public_key.to_public_bytes()
        configuration = (
            bytes([self.number]) + kem_id.to_bytes(2, "big") + public + b"\0\x08" + b"\0\x01\0\x01" + b"\0\x01\0\x03")
        return len(configuration).to_bytes(2, "big") + configuration

    def answer(self, request, cipher, message):
        """What was asked, and the sealed answer to it."""
        suite, header, enc_length = parties(self.kem, cipher)
        check(request[:7] == bytes([self.number]) + header, "the header is another one")
        enc = request[7:7 + enc_length]
        recipient = suite.create_recipient_context(
            enc, self.pair.private_key, b"message/bhttp request\0" + request[:7])
        asked = recipient.open(request[7 + enc_length:])
        length = CIPHERS[cipher][3]
        nonce = os.urandom(length)
        box, box_nonce = answer_box(recipient.export(b"message/bhttp response", length), enc, nonce, cipher)
        return asked, nonce + box.encrypt(box_nonce, message, b"")


def test():
    probe = subprocess.Popen(
        [os.path.join(os.path.dirname(daemon.BINARY), "Probe"), "oblivious"], text=True, bufsize=1,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(*words):
        probe.stdin.write(" ".join(each.hex() if isinstance(each, bytes) else each for each in words) + "\n")
        return probe.stdout.readline().strip()

    chance = random.Random(20261126)
    refused = 0
    for number in range(ROUNDS):
        kem, cipher = list(KEMS)[number % 2], list(CIPHERS)[number // 2 % 2]
        asked, told = (os.urandom(chance.choice((1, 2, 1024, 4096, chance.randint(1, 20_000)))) for _ in range(2))

        client = Client(bytes.fromhex(ask("key", kem)), kem, cipher, asked)
        opened, response = map(bytes.fromhex, ask("gateway", client.bytes, told).split())
        check(opened == asked, "Throng's gateway opened something else")
        check(client.open(response) == told, "pyhpke opened another answer than Throng's gateway sealed")

        gateway = Gateway(kem, number % 256)
        request = bytes.fromhex(ask("client", gateway.listed, cipher, asked))
        opened, response = gateway.answer(request, cipher, told)
        check(opened == asked, "pyhpke opened something else than Throng sealed")
        check(bytes.fromhex(ask("response", response)) == told, "Throng opened another answer than pyhpke sealed")

        # One bit of it, anywhere.
        place = chance.randrange(len(client.bytes))
        changed = bytearray(client.bytes)
        changed[place] ^= 1 << chance.randrange(8)
        check(ask("gateway", bytes(changed), told) == "refused", f"Throng opened a request with a changed byte {place}")
        changed = bytearray(response)
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
        check(ask("response", bytes(changed)) == "refused", "Throng opened a changed response")
        try:
            client.open(response)
            check(False, "a response was opened with another request's secret")
        except InvalidTag:
            refused += 1
    check(refused == ROUNDS, "no response was tried with another request's secret")
    probe.stdin.close()
    check(probe.wait(timeout=20) == 0, "the probe failed")
    say(f"{ROUNDS} requests and responses in each direction")


if __name__ == "__main__":
    daemon.main(test)
