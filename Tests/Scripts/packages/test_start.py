"""Tests the calls that the tool recognizes without the argument parser. PROGRAM is the released tool."""

import json
import os
import random
import re
import shutil
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

PROGRAM = os.environ["PROGRAM"]
VERBS = ["status", "token", "whoami"]
APPS = ["com.example.Mail", "com.example.Calendar", "com.example.Nobody"]
WORDS = [
    *VERBS, *APPS, "--app-id", "--app-id=com.example.Mail", "--json", "--all", "--help", "--version", "--project", "shop",
    "-h", "-", "", " ", "accounts", "Status", "statu", "tokens", "help", "--app", "--app-id=", "-app-id", "--appid",
    "com.example.Mail ", "mail", "com..Mail", "com.example.Mäil", "a" * 300 + ".b", "--header", "0", "$HOME", "a=b",
]


def call(words, environment):
    done = subprocess.run([PROGRAM, *words], capture_output=True, env=environment, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def generated(number):
    """Returns an argument list: a plain call, one with a change, or any words."""
    generator = random.Random(number)
    kind = generator.randrange(4)
    if kind == 3:
        return [generator.choice(WORDS) for _ in range(generator.randrange(5))]
    words = [generator.choice(VERBS)]
    if generator.random() < 0.8:
        words += ["--app-id", generator.choice(APPS if kind else WORDS)]
    if kind == 2:
        place = generator.randrange(len(words) + 1)
        words[place : place + generator.randrange(2)] = [generator.choice(WORDS)]
    return words


class Start(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.directory)
        key = f"{cls.directory}/key"
        with open(key, "wb") as file:
            file.write(random.randbytes(32))
        os.chmod(key, 0o600)
        # Encrypted files need no keyring. Two apps have a user, and the app without a name is one of them.
        cls.environment = {
            "HOME": cls.directory, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8",
            "SHAREDAUTH_STORE": "file", "SHAREDAUTH_KEY_FILE": key,
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent",
        }
        for app in APPS[:2]:
            status, _, errors = call(["sign-in", "--anonymous", "--app-id", app], cls.environment)
            assert status == 0, errors

    def test_both_ways(self):
        """2,000 generated argument lists give the same output and status as with the parser.

        An ending "--" changes no call, and a list that ends with it is never recognized.
        """
        named = {**self.environment, "SHAREDAUTH_APP_ID": APPS[0]}
        broken = {**self.environment, "SHAREDAUTH_STORE": "neither"}
        lists = [generated(number) for number in range(2000)]

        def compare(number):
            words = lists[number]
            environment = [self.environment, named, named, broken][number % 4]
            return call(words, environment), call([*words, "--"], environment)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            pairs = list(pool.map(compare, range(len(lists))))
        for words, (plain, parsed) in zip(lists, pairs):
            with self.subTest(words=words):
                self.assertEqual(plain, parsed)
        # The lists reach every verb, and calls that succeed as well as calls that fail.
        outcomes = {(words[0], pair[0][0] == 0) for words, pair in zip(lists, pairs) if words and words[0] in VERBS}
        self.assertEqual(len(outcomes), 6)


class Instructions(unittest.TestCase):
    """Counts instructions on the keyring of this session; a time would depend on the machine."""

    def count(self, *words):
        with tempfile.TemporaryDirectory() as directory:
            done = subprocess.run(
                ["valgrind", "--tool=callgrind", f"--callgrind-out-file={directory}/out", *words],
                capture_output=True, text=True, check=True,
            )
        return int(re.search(r"Collected : (\d+)", done.stderr).group(1))

    def test_instructions(self):
        """status, token and whoami execute at most 70 % of the instructions of secret-tool lookup."""
        app = ["--app-id", "com.example.Mail"]
        subprocess.run([PROGRAM, "sign-in", "--anonymous", *app], check=True, capture_output=True)
        subprocess.run(["secret-tool", "store", "--label=x", "name", "x"], check=True, input=b"x" * 900)
        counts = {verb: self.count(PROGRAM, verb, *app) for verb in VERBS}
        counts["secret-tool"] = self.count("secret-tool", "lookup", "name", "x")
        print(json.dumps(counts))
        for verb in VERBS:
            self.assertLess(counts[verb], counts["secret-tool"] * 0.7, counts)


if __name__ == "__main__":
    unittest.main()
