"""The alternatives for a Python app: SecretStorage, keyring, or MSAL's token cache on libsecret.

    peers.py secretstorage|keyring|msal serve SIZE   for each line "lookup N" or "store N": does it N times, prints the
                                                     nanoseconds of each
    peers.py secretstorage|keyring|msal read         looks the item up once, as a program that was just started
"""

import sys
import time


def secretstorage_peer():
    import secretstorage

    attributes = {"application": "bench-secretstorage"}
    connection = secretstorage.dbus_init()

    def lookup():
        collection = secretstorage.get_default_collection(connection)
        return next(collection.search_items(attributes)).get_secret()

    def store(text):
        collection = secretstorage.get_default_collection(connection)
        collection.create_item("bench", attributes, text.encode(), replace=True)

    return lookup, store


def keyring_peer():
    import keyring
    from keyring.backends.SecretService import Keyring

    keyring.set_keyring(Keyring())
    return lambda: keyring.get_password("bench", "keyring"), lambda text: keyring.set_password("bench", "keyring", text)


def msal_peer():
    import os
    from msal_extensions import LibsecretPersistence

    cache = LibsecretPersistence(os.path.join(os.environ["HOME"], "msal"), "bench-msal", {"app": "bench"})
    return cache.load, cache.save


def main():
    lookup, store = {"secretstorage": secretstorage_peer, "keyring": keyring_peer, "msal": msal_peer}[sys.argv[1]]()
    if sys.argv[2] == "read":
        print(len(lookup()))
        return
    text = "x" * int(sys.argv[3])
    for line in sys.stdin:
        verb, count = line.split()
        times = []
        for _ in range(int(count)):
            start = time.monotonic_ns()
            store(text) if verb == "store" else lookup()
            times.append(time.monotonic_ns() - start)
        print(*times, flush=True)


main()
