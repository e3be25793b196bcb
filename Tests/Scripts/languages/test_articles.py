"""Runs the programs of the articles about Python, C, JavaScript and Vala that need no server of another project, and
that of "Coming from libsecret"."""

import subprocess
import time
import unittest

import gi

gi.require_version("Secret", "1")
from gi.repository import Secret

from articles import C, JAVASCRIPT, LIBSECRET, PYTHON, VALA
from support import Keyring, SharedAuth, call, session

# Tested in test_first_programs and test_browser_programs.
ELSEWHERE = ["Observe the current user", "Sign in in the browser"]


class Articles(unittest.TestCase):
    def run_programs(self, article, elsewhere=ELSEWHERE):
        """Runs the programs of an article in their order, and returns what they print."""
        headings = article.headings()
        self.assertEqual([heading for heading in elsewhere if heading not in headings], [])
        outputs = []
        for heading in headings:
            if heading not in elsewhere:
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

    def test_coming_from_libsecret(self):
        kinds = {"uid": Secret.SchemaAttributeType.STRING}
        schema = Secret.Schema.new("com.example.Feeds", Secret.SchemaFlags.NONE, kinds)
        stored = {"uid": "ada"}
        Secret.password_store_sync(schema, stored, None, "A token", "refresh-of-Ada", None)
        Keyring.lock()
        try:
            [printed] = self.run_programs(LIBSECRET, elsewhere=[])
        finally:
            Keyring.unlock()
        self.assertEqual(printed, "The keyring is locked. Unlock it, then try again.\n")
        self.assertEqual(Secret.password_lookup_sync(schema, stored, None), "refresh-of-Ada")
        self.assertEqual(self.run_programs(LIBSECRET, elsewhere=[]), ["ada is signed in to group.com.example.readers\n"])
        self.assertIsNone(Secret.password_lookup_sync(schema, stored, None))
        # Another app of the group refreshes with the token.
        provider, asked = SharedAuth.CustomProvider(issuer="https://login.example.org#feeds"), []

        def refresh(_, request):
            asked.append(request.props.refresh_token)
            request.add_access_token("an access token", None, int(time.time()) + 3600)
            request.return_tokens("ada", None, "another", int(time.time()) + 3600)

        provider.connect("refresh", refresh)
        group = {"access_group": "group.com.example.readers", "project": "default"}
        other = session(provider, app_id="com.example.Other", **group)
        self.assertEqual(call(other, "get_access_token", None, False), "an access token")
        self.assertEqual(asked, ["refresh-of-Ada"])
        # A second start takes nothing over.
        self.assertEqual(self.run_programs(LIBSECRET, elsewhere=[]), [""])
        call(other, "sign_out")


if __name__ == "__main__":
    unittest.main()
