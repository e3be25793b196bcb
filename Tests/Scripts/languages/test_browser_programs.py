"""Runs the programs for sign-in in the browser of the articles about Python, C, JavaScript and Vala, at a server of
another project, with a person in place of the browser."""

import json
import os
import sys
import tempfile
import urllib.error
import urllib.request

from articles import C, JAVASCRIPT, PYTHON, VALA
from support import Running, SharedAuth, State, TestCase, call, session, wait
from test_sign_in import PERSON

HEADING = "Sign in in the browser"
ISSUER, CLIENT = os.environ["FOREIGN_NANOIDP"], "desktop"


def claims(token):
    """Asks the server who the holder of an access token is; None if it refuses the token."""
    request = urllib.request.Request(f"{ISSUER}/userinfo", headers={"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code != 401:
            raise
        return None


class InEachLanguage:
    """The tests of the article about one language."""

    def setUp(self):
        # In place of the desktop's own.
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        opener = f"{self.folder.name}/xdg-open"
        with open(opener, "w") as file:
            file.write(f'#!/bin/sh\nexec "{sys.executable}" "{PERSON}" page nanoidp "$1"\n')
        os.chmod(opener, 0o755)
        self.command = self.article.command(self, HEADING)

    def run_program(self, *arguments, **environment):
        path = f"{self.folder.name}:{os.environ['PATH']}"
        with Running(*self.command, *arguments, **{"PATH": path, "LC_ALL": "C.UTF-8", **environment}) as program:
            return program.rest()

    def test_sign_in_and_out(self):
        # Another app of the group.
        shown = session(
            SharedAuth.OpenIDProvider(issuer=ISSUER, client_id=CLIENT), app_id="com.example.Other",
            access_group="group.com.example.members", project="default",
        )
        self.addCleanup(call, shown, "sign_out")
        self.assertEqual(shown.props.state, State.SIGNED_OUT)
        announced = []
        shown.connect("announced", lambda _, user: announced.append(user and user.props.uid))
        lines, problems = self.run_program(ISSUER, CLIENT)
        self.assertEqual(problems, "")
        wait(lambda: announced)
        user = shown.props.user
        self.assertEqual((user.props.issuer, shown.props.user_issuer), (f"{ISSUER}#{CLIENT}", user.props.issuer))
        token = call(shown, "get_access_token", None, False)
        self.assertEqual(
            lines,
            [
                "The provider must know the address http://127.0.0.1/callback",
                f"{user.props.email} is signed in",
                f"The access token has {len(token)} characters.",
            ],
        )
        self.assertEqual(claims(token)["sub"], user.props.uid)
        self.assertEqual(self.run_program(ISSUER, CLIENT), ([f"{user.props.email} is signed out"], ""))
        wait(lambda: len(announced) == 2)
        self.assertEqual((shown.props.state, announced), (State.SIGNED_OUT, [user.props.uid, None]))
        self.assertIsNone(claims(token))


class InPython(InEachLanguage, TestCase):
    article = PYTHON


class InC(InEachLanguage, TestCase):
    article = C


class InJavaScript(InEachLanguage, TestCase):
    article = JAVASCRIPT


class InVala(InEachLanguage, TestCase):
    article = VALA


if __name__ == "__main__":
    import unittest

    unittest.main()
