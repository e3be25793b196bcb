"""Tests the names in the articles: the calls of libsecret and of GNOME Online Accounts, those of this library that take
their place, those in the prose about each language, and those that only Swift has."""

import itertools
import os
import re
import unittest
import xml.etree.ElementTree as XML

from articles import section, text

ROOT = f"{os.path.dirname(os.path.abspath(__file__))}/../../.."
OURS = f"{os.environ['LANGUAGES_PREFIX']}/share/gir-1.0/SharedAuth-1.gir"
CORE, C, GLIB = (f"{{http://www.gtk.org/introspection/{name}/1.0}}" for name in ("core", "c", "glib"))


class Description:
    """The names in a GIR file."""

    def __init__(self, path):
        self.in_c, self.names, self.signals, self.members = set(), set(), set(), set()
        tree = XML.parse(path).getroot().find(f"{CORE}namespace")
        prefix = tree.get(f"{C}identifier-prefixes")
        for node in tree.iter():
            kind, name = node.tag.split("}")[1], node.get("name")
            self.in_c |= {node.get(f"{C}identifier"), node.get(f"{C}type")}
            if kind in ("method", "function", "property"):
                self.names.add(name)
            elif kind == "signal":
                self.signals.add(name)
            elif kind == "member":
                self.members.add(name.upper())
        for owner in tree:
            for part in owner:
                kind = part.tag.split("}")[1]
                separator = {"property": ":", "signal": "::"}.get(kind)
                if separator:
                    self.in_c.add(f"{prefix}{owner.get('name')}{separator}{part.get('name')}")


def rows(article, heading):
    """Returns the cells of the rows of a table, without its head."""
    found = re.findall(r"^\| (.*) \| (.*) \|$", section(article, heading), re.MULTILINE)
    return found[1:]


def code(words):
    return re.findall(r"`([^`]+)`", words)


def installed(name):
    return Description(f"/usr/share/gir-1.0/{name}.gir")


class ComingFrom(unittest.TestCase):
    """The tables of "Coming from libsecret and GNOME Online Accounts"."""

    ARTICLE = "ComingFromLibsecret"

    def check_theirs(self, heading, described, prefix):
        """Tests that each name in the left column is one of the other library."""
        seen = []
        for left, _ in rows(self.ARTICLE, heading):
            for name in code(left):
                # A signal after one of the same class.
                name = seen[-1].split(":")[0] + name if name.startswith("::") else name.removesuffix("()")
                if name.lower().startswith(prefix):
                    self.assertEqual({name} - described.in_c, set())
                    seen.append(name)
                else:
                    self.assertEqual(name, "_sync")
        return seen

    def test_libsecret(self):
        seen = self.check_theirs("libsecret", installed("Secret-1"), "secret")
        self.assertIn("secret_password_store", seen)
        self.assertGreater(len(seen), 6)

    def test_gnome_online_accounts(self):
        seen = self.check_theirs("GNOME Online Accounts", installed("Goa-1.0"), "goa")
        self.assertIn("GoaClient::account-removed", seen)
        self.assertGreater(len(seen), 6)

    def test_this_library(self):
        ours = Description(OURS)
        known, seen = ours.names | ours.signals, []
        for described, name in (("GObject-2.0", "GObject::notify"), ("Gio-2.0", "GListModel::items-changed")):
            self.assertEqual({name} - installed(described).in_c, set())
            known.add(name.split("::")[1])
        for heading in ("libsecret", "GNOME Online Accounts"):
            for _, right in rows(self.ARTICLE, heading):
                for name in code(right):
                    self.assertEqual({name.removesuffix("()")} - (ours.members if name.isupper() else known), set())
                    seen.append(name)
        self.assertIn("get_access_token_async()", seen)
        self.assertGreater(len(seen), 20)


class Prose(unittest.TestCase):
    """The names in the articles about the languages."""

    def test_in_c(self):
        headers, folder = "", f"{ROOT}/Sources/Languages/CSharedAuthGLib"
        for name in os.listdir(folder):
            with open(f"{folder}/{name}") as file:
                headers += file.read()
        known = set(re.findall(r"\w+", headers))
        # The names of types and the words of macros that the headers make of others.
        for kind in re.findall(r"G_DECLARE_\w+ \((\w+), \w+, (\w+),\s+(\w+)", headers):
            known |= {kind[0], f"{kind[1]}_{kind[2]}", f"{kind[1]}_IS_{kind[2]}"}
        named = set(re.findall(r"\b(?:shared_auth_|SHARED_AUTH_|SharedAuth(?=[A-Z]))\w+", text("C")))
        self.assertGreater(len(named), 40)
        # The module of Swift.
        self.assertEqual(named - known - {"SharedAuthFleet"}, set())

    def test_in_other_languages(self):
        names = Description(OURS).names
        for article in ("Python", "JavaScript", "Vala", "ComingFromLibsecret"):
            named = set(re.findall(r"`(?:\w+\.)*(\w+_(?:async|sync|finish)) ?\(", text(article)))
            self.assertGreater(len(named), 5)
            # Of libsecret.
            self.assertEqual({name for name in named if not name.startswith("secret_")} - names, set())


class OnlyInSwift(unittest.TestCase):
    def test_names(self):
        """What the article about C says that only Swift has is there, and not in the library."""
        ours, public = Description(OURS), set()
        for product in ("SharedAuth", "SharedAuthFleet"):
            with open(f"{ROOT}/Tests/Fixtures/API/{product}.txt") as file:
                public |= {line.split("\t")[0] for line in file.read().splitlines()} | {product}
        named = list(itertools.chain.from_iterable(code(right) for _, right in rows("C", "Know what only Swift has")))
        self.assertGreater(len(named), 10)
        for name in named:
            with self.subTest(name):
                self.assertEqual({name} - public, set())
                # The name, and the name with that of the first argument.
                base, label = re.fullmatch(r"(?:\w+\.)?(\w+)(?:\((?:(\w*):)?.*)?", name).groups()
                for word in {base, base + "_" + (label or "")}:
                    word = re.sub(r"(?<=[a-z])([A-Z]+)", r"_\1", word).lower().rstrip("_")
                    forms = {word, word.replace("_", "-"), f"{word}_async", f"{word}_sync"}
                    self.assertEqual(forms & ours.names, set())


if __name__ == "__main__":
    unittest.main()
