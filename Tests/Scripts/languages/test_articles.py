"""Runs the programs of the articles about Python, C, JavaScript and Vala that need no server of another project."""

import subprocess
import unittest

from articles import C, JAVASCRIPT, PYTHON, VALA
from support import call, session

# Tested in test_first_programs and test_browser_programs.
ELSEWHERE = ["Observe the current user", "Sign in in the browser"]


class Articles(unittest.TestCase):
    def run_programs(self, article):
        """Runs the programs of an article in their order, and returns what they print."""
        headings = article.headings()
        self.assertEqual([heading for heading in ELSEWHERE if heading not in headings], [])
        outputs = []
        for heading in headings:
            if heading not in ELSEWHERE:
                done = subprocess.run(article.command(self, heading), capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                outputs.append(done.stdout)
        return outputs

    def test_python(self):
        self.assertEqual(
            self.run_programs(PYTHON),
            [
                "ada@example.org is signed in to group.com.example.office\n",
                "ada is signed in\nanother ID token\n",
            ],
        )

    def test_c(self):
        outputs = self.run_programs(C)
        self.assertRegex(outputs[0], r"^[A-Za-z0-9]{28} is signed in\n$")
        # Without a main loop.
        self.assertEqual(outputs[1:], outputs[:1])
        # The other articles begin without a user in the group.
        who = {"app_id": "com.example.Who", "access_group": "group.com.example.office", "project": "default"}
        call(session(**who), "sign_out")

    def test_javascript(self):
        self.assertEqual(
            self.run_programs(JAVASCRIPT),
            [
                "grace@example.org is signed in to group.com.example.office\n",
                "grace is signed in\nanother ID token\n",
            ],
        )

    def test_vala(self):
        self.assertEqual(
            self.run_programs(VALA),
            [
                "alan@example.org is signed in to group.com.example.office\n",
                "alan is signed in\nanother ID token\n",
            ],
        )


if __name__ == "__main__":
    unittest.main()
