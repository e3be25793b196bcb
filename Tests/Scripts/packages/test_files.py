"""Tests how the released programs and the library are linked. IMAGE is the directory with their files."""

import os
import re
import subprocess
import unittest

IMAGE = os.environ["IMAGE"]
SYSTEM = {"ld-linux-x86-64.so.2", "libc.so.6", "libm.so.6"}
GLIB = {"libgio-2.0.so.0", "libglib-2.0.so.0", "libgobject-2.0.so.0"}


def readelf(option, file):
    return subprocess.run(["readelf", "--wide", option, file], check=True, capture_output=True, text=True).stdout


class Files(unittest.TestCase):
    def dynamic(self, file):
        return readelf("--dynamic", file)

    def needed(self, file):
        return set(re.findall(r"\(NEEDED\).*\[(.*)\]", self.dynamic(file)))

    def defined(self, file):
        """Returns the names of the dynamic symbols that the file defines, except for the names of versions."""
        rows = [row.split() for row in readelf("--dyn-syms", file).splitlines() if re.match(r" +\d+:", row)]
        return {row[7] for row in rows if len(row) > 7 and row[6] not in ("UND", "ABS")}

    def check_hardening(self, file):
        dynamic = self.dynamic(file)
        self.assertRegex(readelf("--file-header", file), r"Type: +DYN")
        self.assertRegex(dynamic, r"\(FLAGS\).*BIND_NOW")
        self.assertIn("GNU_RELRO", readelf("--program-headers", file))
        self.assertNotRegex(readelf("--program-headers", file), r"GNU_STACK.*RWE")
        self.assertNotRegex(dynamic, r"RUNPATH|RPATH|TEXTREL")

    def test_tool(self):
        """The tool is linked to libsecret and GLib, and to no library of a compiler; it exports nothing."""
        tool = f"{IMAGE}/bin/sharedauth"
        self.assertEqual(self.needed(tool) - SYSTEM, GLIB | {"libsecret-1.so.0"})
        self.assertEqual(self.defined(tool), set())
        self.assertRegex(self.dynamic(tool), r"\(FLAGS_1\).*PIE")
        self.check_hardening(tool)

    def test_library(self):
        """The library exports its functions and nothing else, and is never unloaded."""
        library = f"{IMAGE}/lib/libsharedauth-glib-1.so.0"
        self.assertEqual(self.needed(library) - SYSTEM, GLIB | {"libsecret-1.so.0"})
        strangers = {name for name in self.defined(library) if not name.startswith("shared_auth_")}
        self.assertEqual(strangers, set())
        self.assertIn("[libsharedauth-glib-1.so.0]", self.dynamic(library))
        self.assertRegex(self.dynamic(library), r"\(FLAGS_1\).*NODELETE")
        self.check_hardening(library)

    def test_relocations(self):
        """Packed relocations come with the version by which an older glibc refuses the file."""
        for file in ("bin/sharedauth", "lib/libsharedauth-glib-1.so.0"):
            self.assertIn("(RELR)", self.dynamic(f"{IMAGE}/{file}"))
            self.assertIn("GLIBC_ABI_DT_RELR", readelf("--version-info", f"{IMAGE}/{file}"))

    def test_paths(self):
        """No file names a directory of the machine that built it."""
        home = os.path.realpath(os.environ["SOURCE"]).encode()
        for folder, _, names in os.walk(IMAGE):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    self.assertNotIn(home, file.read(), name)

    def test_manual(self):
        """Each verb has a man page, which the pages of the tool refer to."""
        verbs = subprocess.run([f"{IMAGE}/bin/sharedauth", "--help"], check=True, capture_output=True, text=True).stdout
        names = re.findall(r"^  ([a-z-]+) {2,}", verbs.split("SUBCOMMANDS:")[1], re.MULTILINE)
        self.assertGreater(len(names), 20)
        with open(f"{IMAGE}/share/man/man1/sharedauth.1") as page:
            text = page.read()
        for name in names:
            self.assertTrue(os.path.exists(f"{IMAGE}/share/man/man1/sharedauth-{name}.1"), name)
            self.assertIn(f"sharedauth-{name} 1", text)


if __name__ == "__main__":
    unittest.main()
