"""Tests the texts for people: plain words in the language of the process, in every language of the library."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PO = pathlib.Path("Sources/Languages/po")
LOCALES = {"de": "de_DE", "es": "es_ES"}
# Prints the text of each code that the first argument lists, of a cancelled call, and of another domain's error.
PROGRAM = """
import json, locale, sys
import gi
gi.require_version("SharedAuth", "1")
from gi.repository import Gio, GLib, SharedAuth
locale.setlocale(locale.LC_ALL, "")
domain = GLib.quark_to_string(SharedAuth.error_quark())
errors = [GLib.Error("Call unlock() first.", domain, code) for code in json.loads(sys.argv[1])]
errors.append(GLib.Error("was cancelled", "g-io-error-quark", Gio.IOErrorEnum.CANCELLED))
errors.append(GLib.Error("no such file", "g-io-error-quark", Gio.IOErrorEnum.NOT_FOUND))
print(json.dumps([SharedAuth.error_get_user_message(error) for error in errors]))
"""
# A function, a property, a type or an option of the API, or a name with dots.
API = re.compile(r"\w\(|[a-z][A-Z]|\w_\w|\w\.\w|--\w|`|\b[a-z]+-[a-z]+ property|GError|JSON|token|D-Bus")


def catalog(language):
    """Returns the texts of a language, by the English ones."""
    text = (PO / f"{language}.po").read_text()
    texts = {}
    for entry in re.findall(r'^msgid ((?:".*"\n)+)msgstr ((?:".*"\n?)+)', text, re.MULTILINE):
        english, translated = ("".join(re.findall(r'"(.*)"', part)) for part in entry)
        texts[english] = translated
    return texts


class Texts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        for name in LOCALES.values():
            made = f"{cls.directory.name}/{name}.UTF-8"
            subprocess.run(["localedef", "--inputfile", name, "--charmap", "UTF-8", made], check=True)
        source = pathlib.Path("Sources/Auth/SharedAuth/Errors/AuthErrorCode.swift").read_text()
        cls.codes = [int(number) for number in re.findall(r"case \w+ = (\d+)", source)]

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def texts(self, language=None):
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "LANGUAGE": ""}
        if language:
            environment |= {"LC_ALL": f"{LOCALES[language]}.UTF-8", "LOCPATH": self.directory.name}
        command = [sys.executable, "-c", PROGRAM, json.dumps(self.codes)]
        result = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        return json.loads(result.stdout)

    def test_every_language(self):
        self.assertGreater(len(self.codes), 100)
        english = self.texts()
        self.assertEqual(english[-2:], ["The action was cancelled.", "no such file"])
        self.assertGreater(len(set(english)), 45)
        for language in (PO / "LINGUAS").read_text().split():
            with self.subTest(language):
                known = catalog(language)
                self.assertEqual(self.texts(language)[:-1], [known[text] for text in english[:-1]])

    def test_plain_words(self):
        for text in self.texts()[:-1]:
            self.assertEqual(API.findall(text), [], text)
            self.assertRegex(text, r"^[A-Z].*\.$")

    def test_in_javascript(self):
        script = """
            imports.gi.versions.SharedAuth = '1';
            const {GLib, SharedAuth} = imports.gi;
            const error = new GLib.Error(SharedAuth.error_quark(), 19001, 'Call unlock().');
            print(SharedAuth.error_get_user_message(error));
        """
        result = subprocess.run(["gjs", "-c", script], stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual(result.stdout, "The keyring is locked. Unlock it, then try again.\n")
