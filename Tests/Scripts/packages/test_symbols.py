"""Tests the versions of the symbols of a library whose second release adds functions. SCRIPTS is the directory of the
scripts."""

import os
import re
import subprocess
import tempfile
import unittest

SCRIPT = f"{os.environ['SCRIPTS']}/symbol-versions"
SONAME = "libsharedauth-glib-1.so.0"
# The comments and declarations of an item, as in the library's own headers.
ITEM = "/**\n * {name}:\n *\n * Does something.\n *\n * Since: {release}\n */\n{declared}\n"
FUNCTIONS = {"shared_auth_new": "0.1", "shared_auth_thing_get_name": "0.1", "shared_auth_newer": "0.10"}
TYPES = {"SharedAuthThing": "0.1", "SharedAuthOther": "0.10"}


class Symbols(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def header(self, last):
        """Writes the header of a release, and returns its path and the functions that it declares."""
        text, names = "", []
        for name, release in FUNCTIONS.items():
            if release <= last:
                text += ITEM.format(name=name, release=release, declared=f"int {name} (void);")
                names.append(name)
        for name, release in TYPES.items():
            if release <= last:
                lower = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
                declared = f"G_DECLARE_FINAL_TYPE ({name}, {lower},\n                      SHARED_AUTH, THING, GObject)"
                text += ITEM.format(name=name, release=release, declared=declared)
                names.append(f"{lower}_get_type")
        path = f"{self.folder}/header-{last}.h"
        with open(path, "w") as file:
            file.write(text)
        return path, names

    def printed(self, *arguments):
        return subprocess.run([SCRIPT, *arguments], check=True, capture_output=True, text=True).stdout

    def library(self, last):
        """Links the library of a release, and returns its directory."""
        header, names = self.header(last)
        directory = f"{self.folder}/{last}"
        os.mkdir(directory)
        with open(f"{directory}/versions", "w") as file:
            file.write(self.printed(header))
        source = "".join(f"int {name} (void) {{ return 0; }}\n" for name in [*names, "hidden"])
        self.compile(source, f"{directory}/{SONAME}", "-shared", "-fPIC", f"-Wl,-soname,{SONAME}",
                     f"-Wl,--version-script,{directory}/versions")
        return directory

    def compile(self, source, *flags):
        output, *others = flags
        subprocess.run(["gcc", "-w", "-o", output, "-x", "c", "-", *others], input=source, text=True, check=True)

    def program(self, directory, function):
        path = f"{self.folder}/{function}"
        source = f"int {function} (void); int main (void) {{ return {function} (); }}\n"
        self.compile(source, path, "-x", "none", f"{directory}/{SONAME}")
        return path

    def test_versions(self):
        shown = subprocess.run(["nm", "-D", "--defined-only", f"{self.library('0.10')}/{SONAME}"],
                               check=True, capture_output=True, text=True).stdout
        self.assertEqual(
            sorted(re.findall(r" T (\S+)", shown)),
            [
                "shared_auth_new@@SHAREDAUTH_0.1", "shared_auth_newer@@SHAREDAUTH_0.10",
                "shared_auth_other_get_type@@SHAREDAUTH_0.10", "shared_auth_thing_get_name@@SHAREDAUTH_0.1",
                "shared_auth_thing_get_type@@SHAREDAUTH_0.1",
            ],
        )

    def test_a_program_with_an_older_library(self):
        new, old = self.library("0.10"), self.library("0.1")
        for function, status in (("shared_auth_new", 0), ("shared_auth_newer", 1)):
            program = self.program(new, function)
            done = subprocess.run([program], env={"LD_LIBRARY_PATH": old}, capture_output=True, text=True)
            self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn("version `SHAREDAUTH_0.10' not found", done.stderr)

    def test_the_version_that_a_package_depends_on(self):
        directory = self.library("0.10")
        # What dpkg-shlibdeps reads: the package of the library, and that of the program.
        os.makedirs(f"{self.folder}/debian/library/DEBIAN")
        os.makedirs(f"{self.folder}/debian/library/usr/lib")
        os.rename(f"{directory}/{SONAME}", f"{self.folder}/debian/library/usr/lib/{SONAME}")
        with open(f"{self.folder}/debian/library/DEBIAN/symbols.in", "w") as file:
            file.write(self.printed("--debian", self.header("0.10")[0]))
        with open(f"{self.folder}/debian/control", "w") as file:
            file.write("Source: sharedauth\n\nPackage: libsharedauth-glib-1-0\nArchitecture: any\nDescription: it\n")
        with open(f"{self.folder}/debian/changelog", "w") as file:
            file.write("sharedauth (0.10.0) unstable; urgency=low\n\n  * It.\n\n"
                       " -- A <a@example.org>  Thu, 01 Jan 2026 00:00:00 +0000\n")
        library = f"{self.folder}/debian/library"
        subprocess.run(
            ["dpkg-gensymbols", "-plibsharedauth-glib-1-0", f"-P{library}", "-c4", f"-I{library}/DEBIAN/symbols.in",
             f"-O{library}/DEBIAN/symbols"], check=True, cwd=self.folder, capture_output=True)
        for function, version in (("shared_auth_new", "0.1~"), ("shared_auth_newer", "0.10~")):
            program = self.program(f"{library}/usr/lib", function)
            command = ["dpkg-shlibdeps", "-O", f"-S{library}", f"-l{library}/usr/lib", program]
            done = subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True)
            self.assertRegex(done.stdout, rf"libsharedauth-glib-1-0 \(>= {re.escape(version)}\)")

    def test_a_function_without_a_release(self):
        path = f"{self.folder}/header.h"
        with open(path, "w") as file:
            file.write("int shared_auth_new (void);\n")
        done = subprocess.run([SCRIPT, path], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("shared_auth_new", done.stderr)


if __name__ == "__main__":
    unittest.main()
