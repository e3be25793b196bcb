"""Runs the code blocks of the articles about Python, C, JavaScript and Vala."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

from support import call, compile_c, compile_vala, session

GUIDES = f"{os.path.dirname(os.path.abspath(__file__))}/../../../Sources/Auth/SharedAuth/SharedAuth.docc/Guides"


def blocks(article, language):
    with open(f"{GUIDES}/{article}.md") as file:
        return re.findall(rf"^```{language}\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)


class Articles(unittest.TestCase):
    def run_program(self, *command):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_python(self):
        outputs = [self.run_program(sys.executable, "-c", block) for block in blocks("Python", "python")]
        self.assertEqual(
            outputs,
            [
                "no user is signed in\n",
                "ada@example.org is signed in to group.com.example.office\n",
                "ada is signed in\nanother ID token\n",
            ],
        )

    def test_c(self):
        outputs = []
        with tempfile.TemporaryDirectory() as folder:
            for number, block in enumerate(blocks("C", "c")):
                with open(f"{folder}/{number}.c", "w") as file:
                    file.write(block)
                compile_c(f"{folder}/{number}.c", f"{folder}/{number}")
                outputs.append(self.run_program(f"{folder}/{number}"))
        self.assertEqual(outputs[0], "no user is signed in\n")
        self.assertRegex(outputs[1], r"^[A-Za-z0-9]{28} is signed in\n$")
        # Without a main loop.
        self.assertEqual(outputs[2], outputs[1])
        # The other articles begin without a user in the group.
        who = {"app_id": "com.example.Who", "access_group": "group.com.example.office", "project": "default"}
        call(session(**who), "sign_out")
        self.assertEqual(len(outputs), 3)

    def test_javascript(self):
        outputs = []
        with tempfile.TemporaryDirectory() as folder:
            for number, block in enumerate(blocks("JavaScript", "javascript")):
                with open(f"{folder}/{number}.js", "w") as file:
                    file.write(block)
                outputs.append(self.run_program("gjs", "-m", f"{folder}/{number}.js"))
        self.assertEqual(
            outputs,
            [
                "no user is signed in\n",
                "grace@example.org is signed in to group.com.example.office\n",
                "grace is signed in\nanother ID token\n",
            ],
        )

    def test_vala(self):
        outputs = []
        with tempfile.TemporaryDirectory() as folder:
            for number, block in enumerate(blocks("Vala", "vala")):
                with open(f"{folder}/{number}.vala", "w") as file:
                    file.write(block)
                compile_vala(f"{folder}/{number}.vala", f"{folder}/{number}")
                outputs.append(self.run_program(f"{folder}/{number}"))
        self.assertEqual(
            outputs,
            [
                "no user is signed in\n",
                "alan@example.org is signed in to group.com.example.office\n",
                "alan is signed in\nanother ID token\n",
            ],
        )


if __name__ == "__main__":
    unittest.main()
