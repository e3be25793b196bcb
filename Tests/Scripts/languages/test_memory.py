"""Tests a C program that signs in and out repeatedly for memory leaks."""

import collections
import os
import re
import subprocess
import tempfile
import unittest

PREFIX = os.environ["LANGUAGES_PREFIX"]
HERE = os.path.dirname(os.path.abspath(__file__))


class Memory(unittest.TestCase):
    def check(self, program, rounds, libraries):
        """Runs memcheck; returns the number of lost bytes, and of Swift objects that remain, by allocating function."""
        kinds = "--show-leak-kinds=definite,indirect,possible,reachable"
        command = ["valgrind", "--leak-check=full", kinds, program, "3", str(rounds)]
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "LD_LIBRARY_PATH": libraries},
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        lost = re.findall(r"(?:definitely|indirectly) lost: ([\d,]+) bytes", done.stderr)
        self.assertEqual(len(lost), 2, done.stderr)
        objects = collections.Counter()
        for part in re.split(r"==\d+== \n", done.stderr):
            found = re.search(r"bytes in ([\d,]+) blocks are", part)
            if found and "swift_allocObject" in part:
                caller = re.search(r"swift_allocObject .*\n.*0x[0-9A-F]+: (\S+)", part)
                objects[caller and caller[1]] += int(found[1].replace(",", ""))
        return sum(int(number.replace(",", "")) for number in lost), objects

    def test_rounds_leak_nothing(self):
        """Runs ROUNDS rounds; 100 if that variable is not set."""
        rounds = int(os.environ.get("ROUNDS", "100"))
        flags = subprocess.run(
            ["pkg-config", "--cflags", "--libs", "sharedauth-glib-1"], stdout=subprocess.PIPE, text=True, check=True
        ).stdout.split()
        with tempfile.TemporaryDirectory() as folder:
            program = f"{folder}/rounds"
            strict = ["-Wall", "-Wextra", "-Werror"]
            subprocess.run(["gcc", *strict, "-o", program, f"{HERE}/rounds.c", *flags], check=True)
            # Valgrind cannot read Swift's debug information.
            name = "libsharedauth-glib-1.so.0"
            subprocess.run(["strip", "--strip-debug", "-o", f"{folder}/{name}", f"{PREFIX}/lib/{name}"], check=True)
            _, before = self.check(program, 10, folder)
            lost, after = self.check(program, rounds, folder)
            print(f"Swift objects that remain: {before.total()} after 10 rounds, {after.total()} after {rounds}")
            # The exit interrupts threads, whose registers may hold the only pointer to a block. A leak in each round
            # would lose at least 16 bytes each time.
            self.assertLess(lost, 16 * rounds / 2)
            # Some objects may be in use or in a bounded cache. A leak in each round would leave at least one each time.
            self.assertLess(after.total() - before.total(), rounds - 10, (after - before).most_common(20))
            self.assertGreater(before.total(), 0)


if __name__ == "__main__":
    unittest.main()
