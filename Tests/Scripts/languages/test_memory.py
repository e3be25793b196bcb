"""What a program in C leaves behind when it signs somebody in and out again and again."""

import os
import re
import subprocess
import tempfile
import unittest

PREFIX = os.environ["LANGUAGES_PREFIX"]
HERE = os.path.dirname(os.path.abspath(__file__))


class Memory(unittest.TestCase):
    def look(self, program, rounds, libraries):
        """What memcheck finds after so many rounds: the bytes that are lost, and the objects of Swift that are left."""
        kinds = "--show-leak-kinds=definite,indirect,possible,reachable"
        command = ["valgrind", "--leak-check=full", kinds, program, "3", str(rounds)]
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "LD_LIBRARY_PATH": libraries},
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        lost = re.findall(r"(?:definitely|indirectly) lost: ([\d,]+) bytes", done.stderr)
        self.assertEqual(len(lost), 2, done.stderr)
        objects = 0
        for part in re.split(r"==\d+== \n", done.stderr):
            found = re.search(r"bytes in ([\d,]+) blocks are", part)
            if found and "swift_allocObject" in part:
                objects += int(found[1].replace(",", ""))
        return sum(int(number.replace(",", "")) for number in lost), objects

    def test_rounds_leave_nothing(self):
        """Takes as many rounds as ROUNDS says, else a hundred."""
        rounds = int(os.environ.get("ROUNDS", "100"))
        flags = subprocess.run(
            ["pkg-config", "--cflags", "--libs", "sharedauth-glib-1"], stdout=subprocess.PIPE, text=True, check=True
        ).stdout.split()
        with tempfile.TemporaryDirectory() as folder:
            program = f"{folder}/rounds"
            strict = ["-Wall", "-Wextra", "-Werror"]
            subprocess.run(["gcc", *strict, "-o", program, f"{HERE}/rounds.c", *flags], check=True)
            # Valgrind does not read Swift's debug information.
            name = "libsharedauth-glib-1.so.0"
            subprocess.run(["strip", "--strip-debug", "-o", f"{folder}/{name}", f"{PREFIX}/lib/{name}"], check=True)
            _, before = self.look(program, 10, folder)
            lost, after = self.look(program, rounds, folder)
            self.assertEqual(lost, 0)
            # Some may be under way, or in a cache that has a limit; one for each round is a leak.
            self.assertLess(after - before, (rounds - 10) / 2)
            self.assertGreater(before, 0)


if __name__ == "__main__":
    unittest.main()
