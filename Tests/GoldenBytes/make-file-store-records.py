"""Makes the two golden records of encrypted-file stores from the format's description, without any code of SharedAuth.

Not part of the tests; it says how the files came about. Needs the package `cryptography`; run it in this directory.
"""

import base64
import hashlib
import json
import pathlib

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

SALT = bytes((0xE0 + n) & 0xFF for n in range(32))
DIGEST = hashlib.sha256(b"app:com.example.Mail\np\ndefault\nuser").digest()[:16]
PLAIN = bytes.fromhex("0102030405060708fedcba9876543210") + b'{"payload":"of any kind"}\x00\xff'
NONCE = bytes(range(0xA0, 0xAC))


def derived(key: bytes, purpose: str) -> bytes:
    return HKDF(hashes.SHA256(), 32, SALT, b"SharedAuth store 1 " + purpose.encode()).derive(key)


for directory, key in [
    ("file-store-key-file", bytes(range(32))),
    ("file-store-passphrase",
     hashlib.scrypt(b"correct horse battery staple", salt=b"\x5A" * 32, n=1024, r=8, p=1, dklen=32)),
]:
    header = json.loads(pathlib.Path(directory, "store.json").read_bytes())
    assert base64.b64decode(header["check"]) == derived(key, "check")
    head = b"SharedAuthFile1." + DIGEST
    sealed = AESGCM(derived(key, "records")).encrypt(NONCE, PLAIN, head)
    pathlib.Path(directory, DIGEST.hex() + ".record").write_bytes(head + NONCE + sealed)
