"""A client and a gateway of Oblivious HTTP as RFC 9458 has it, written here over PyPI's pyhpke, with both mechanisms and both ciphers."""

import os
import sys

import daemon
from daemon import check

sys.path.insert(0, os.path.join(daemon.ROOT, ".build", "pyhpke"))
from cryptography.hazmat.primitives import hashes  # noqa: E402
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305  # noqa: E402
from cryptography.hazmat.primitives.hmac import HMAC  # noqa: E402
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand  # noqa: E402
from pyhpke import AEADId, CipherSuite, KDFId, KEMId  # noqa: E402

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
    """Opens what was sealed for a key of its own, and seals the answer."""

    def __init__(self, kem, number):
        self.kem, self.number = kem, number
        suite, _, _ = parties(kem, "aes128")
        self.pair = suite.kem.derive_key_pair(os.urandom(32))

    @property
    def listed(self):
        kem_id, _, _ = KEMS[self.kem]
        public = self.pair.public_key.to_public_bytes()
        configuration = (bytes([self.number]) + kem_id.to_bytes(2, "big") + public + b"\0\x08" + b"\0\x01\0\x01" + b"\0\x01\0\x03")
        return len(configuration).to_bytes(2, "big") + configuration

    def answer(self, request, cipher, message):
        """What was asked, and the sealed answer to it."""
        suite, header, enc_length = parties(self.kem, cipher)
        check(request[:7] == bytes([self.number]) + header, "the header is another one")
        enc = request[7:7 + enc_length]
        recipient = suite.create_recipient_context(enc, self.pair.private_key, b"message/bhttp request\0" + request[:7])
        asked = recipient.open(request[7 + enc_length:])
        length = CIPHERS[cipher][3]
        nonce = os.urandom(length)
        box, box_nonce = answer_box(recipient.export(b"message/bhttp response", length), enc, nonce, cipher)
        return asked, nonce + box.encrypt(box_nonce, message, b"")
