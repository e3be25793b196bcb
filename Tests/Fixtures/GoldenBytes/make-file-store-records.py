"""Makes the golden records of encrypted-file stores from the format's description, without any code of SharedAuth.

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
NAME = b"app:com.example.Mail\np\ndefault\nuser"
DIGEST = hashlib.sha256(NAME).digest()[:16]
REVISION = bytes.fromhex("0102030405060708fedcba9876543210")
PAYLOAD = b'{"payload":"of any kind"}\x00\xff'
UNNAMED = (b"SharedAuthFile1.", REVISION + PAYLOAD)
NAMED = (b"SharedAuthFile2.", REVISION + len(NAME).to_bytes(4, "big") + NAME + PAYLOAD)
NONCE = bytes(range(0xA0, 0xAC))


def derived(key: bytes, purpose: str) -> bytes:
    return HKDF(hashes.SHA256(), 32, SALT, b"SharedAuth store 1 " + purpose.encode()).derive(key)


for directory, key, (prefix, plain) in [
    ("file-store-key-file", bytes(range(32)), UNNAMED),
    ("file-store-passphrase",
     hashlib.scrypt(b"correct horse battery staple", salt=b"\x5A" * 32, n=1024, r=8, p=1, dklen=32), UNNAMED),
    ("file-store-named", bytes(range(32)), NAMED),
]:
    header = json.loads(pathlib.Path(directory, "store.json").read_bytes())
    assert base64.b64decode(header["check"]) == derived(key, "check")
    head = prefix + DIGEST
    sealed = AESGCM(derived(key, "records")).encrypt(NONCE, plain, head)
    pathlib.Path(directory, DIGEST.hex() + ".record").write_bytes(head + NONCE + sealed)
