"""Runs the first program of the articles about Python, C, JavaScript and Vala with a keyring that is open, locked or
absent, and compares what it prints with the table below it."""

import re
import subprocess
import tempfile

from articles import C, JAVASCRIPT, PYTHON, VALA, section
from support import Keyring, Running, TestCase, call, session

HEADING = "Observe the current user"
# A bus that starts nothing.
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir=%s</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""

LOCALES = tempfile.TemporaryDirectory()


def setUpModule():
    made = f"{LOCALES.name}/de_DE.UTF-8"
    subprocess.run(["localedef", "--inputfile", "de_DE", "--charmap", "UTF-8", made], check=True)


def tearDownModule():
    LOCALES.cleanup()


class InEachLanguage:
    """The tests of the article about one language."""

    @classmethod
    def setUpClass(cls):
        rows = re.findall(r"^\| (is .*?) \| `(.*)` \|$", section(cls.article.name, HEADING), re.MULTILINE)
        cls.printed = {keyring.split(",")[0]: line for keyring, line in rows}
        assert list(cls.printed) == ["is open", "is locked", "is absent"], rows

    def program(self, **environment):
        return Running(*self.article.command(self, HEADING), **{"LC_ALL": "C.UTF-8", "LANGUAGE": "", **environment})

    def assertEnds(self, line, **environment):
        """Tests that the program prints this line, and ends."""
        with self.program(**environment) as program:
            self.assertEqual(program.rest(), ([line], ""))

    def test_an_open_keyring(self):
        other = session(app_id="com.example.Other", access_group="group.com.example.office", project="default")
        call(other, "sign_out")
        with self.program() as program:
            self.assertEqual(program.lines(1), [self.printed["is open"]])
            # The program goes on.
            email = f"{self.article.language}@example.org"
            call(other, "create_user", email, "correct horse")
            self.assertEqual(program.lines(1), [f"{email} is signed in"])
            call(other, "sign_out")
            self.assertEqual(program.lines(1), ["no user is signed in"])

    def test_a_locked_keyring(self):
        Keyring.lock()
        try:
            self.assertEnds(self.printed["is locked"])
            self.assertEnds(
                "Der Schlüsselbund ist gesperrt. Entsperren Sie ihn und versuchen Sie es dann noch einmal.",
                LC_ALL="de_DE.UTF-8", LOCPATH=LOCALES.name,
            )
        finally:
            Keyring.unlock()

    def test_an_absent_keyring(self):
        with self.subTest("no message bus"):
            self.assertEnds(self.printed["is absent"], DBUS_SESSION_BUS_ADDRESS="unix:path=/nowhere")
        with self.subTest("no keyring on the message bus"), tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/configuration", "w") as file:
                file.write(BUS % folder)
            command = ["dbus-daemon", f"--config-file={folder}/configuration", "--nofork", "--nopidfile"]
            bus = subprocess.Popen(
                [*command, "--print-address=1"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
            try:
                self.assertEnds(self.printed["is absent"], DBUS_SESSION_BUS_ADDRESS=bus.stdout.readline().strip())
            finally:
                bus.kill()
                bus.communicate()


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
