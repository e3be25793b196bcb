"""Tests of the library in C++ with Qt Widgets and QML. CMake builds the programs with the installed library."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.request

from articles import blocks, text
from oauth_server import OAuthServer, redirect
from support import Error, TestCase, fresh_names
from test_programs import DOMAIN, InEachLanguage, Program

FOLDER = os.path.dirname(os.path.abspath(__file__))
PREFIX = os.environ["LANGUAGES_PREFIX"]
LIBRARY = os.path.realpath(f"{FOLDER}/../../../Sources/Languages/SharedAuthQt")
MODULE = f"{PREFIX}/lib/qt6/qml/org/sharedauth"
PERSON = f"{FOLDER}/../../Suites/ForeignServerTests/Servers/person"
BUILT = tempfile.TemporaryDirectory()
QMLLINT = "/usr/lib/qt6/bin/qmllint"


def setUpModule():
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    unittest.addModuleCleanup(BUILT.cleanup)
    install = f"-DCMAKE_INSTALL_PREFIX={BUILT.name}/installed"
    build(f"{FOLDER}/qt", BUILT.name, install, f"-DLIBRARY={LIBRARY}", f"-DVERSION={version()}")


def version():
    """Returns the version of the GObject library."""
    command = ["pkg-config", "--modversion", "sharedauth-glib-1"]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def build(source, folder, *options, prefix=PREFIX):
    configure = ["cmake", "-S", source, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}", *options]
    for command in (configure, ["cmake", "--build", folder, "--parallel", "2"]):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise AssertionError(f"{' '.join(command)} failed:\n{done.stdout}")


class Widgets(InEachLanguage, TestCase):
    command = [f"{BUILT.name}/widgets"]

    def openid(self, part):
        return Program(self.command, part, fresh_names(), os.environ["FOREIGN_NANOIDP"])

    def test_sign_in_in_the_browser(self):
        with self.openid("browser") as program:
            kind, address = program.lines(1)[0].split()
            self.assertEqual(kind, "page")
            subprocess.run([sys.executable, PERSON, "page", "nanoidp", address], check=True)
            self.assertEqual(program.rest()[0], [f"signed in {os.environ['FOREIGN_NANOIDP']}#desktop true"])

    def test_sign_in_with_a_device_code(self):
        with self.openid("device") as program:
            kind, code, address = program.lines(1)[0].split()
            self.assertEqual(kind, "code")
            subprocess.run([sys.executable, PERSON, "code", "nanoidp", address, code], check=True)
            self.assertEqual(program.rest()[0], [f"signed in {os.environ['FOREIGN_NANOIDP']}#desktop true"])

    def test_redirect_to_the_own_scheme(self):
        server = OAuthServer()
        self.addCleanup(server.close)
        with Program(self.command, "oauth", fresh_names(), server.issuer, stdin=subprocess.PIPE) as program:
            early, page = program.lines(2)
            self.assertEqual(early, f"early {int(Error.OPERATION_NOT_ALLOWED)}")
            own = redirect(page.removeprefix("page "))
            program.process.stdin.write(f"com.example.planner:/signed-in?code=x&state=y\n{own}\n")
            program.process.stdin.flush()
            self.assertEqual(
                program.rest()[0],
                [f"refused {int(Error.INVALID_CREDENTIAL)}", f"signed in oauth2:{server.issuer}#desktop true",
                 "redirect com.example.planner:/signed-in", "token true"],
            )

    def test_redirect_uri_and_last_page(self):
        server = OAuthServer()
        self.addCleanup(server.close)
        with Program(self.command, "page", fresh_names(), server.issuer) as program:
            lines = program.lines(2)
            [address] = [line.removeprefix("page ") for line in lines if line.startswith("page ")]
            with urllib.request.urlopen(address, timeout=60) as answer:
                last = answer.read().decode()
            self.assertIn("redirect http://127.0.0.1/callback", lines)
            self.assertIn("<h1>Zurück</h1><p>Weiter im Planer.</p>", last)
            self.assertEqual(program.rest()[0], ["signed in ada"])


class WithoutGLib(InEachLanguage, TestCase):
    """The same in an event loop of Qt's own."""

    command = ["env", "QT_NO_GLIB=1", *Widgets.command]


class Qml(InEachLanguage, TestCase):
    command = [f"{BUILT.name}/qml", f"{FOLDER}/qt/program.qml"]

    def test_one_refresh_among_programs(self):
        self.assertOneRefresh(Widgets.command, self.command)


class Files(unittest.TestCase):
    def read(self, path):
        with open(path) as file:
            return file.read()

    def header(self, name):
        return self.read(f"{PREFIX}/include/SharedAuthQt6/SharedAuthQt/{name}")

    def test_every_code_of_an_error_has_a_name(self):
        text = self.read(f"{PREFIX}/include/sharedauth-glib-1/shared-auth-error.h")
        codes = dict(re.findall(r"^  SHARED_AUTH_ERROR_(\w+) = (\d+)", text, re.MULTILINE))
        named = re.findall(r"^        (\w+) = (\d{5}),", self.header("AuthError.h"), re.MULTILINE)
        self.assertGreater(len(codes), 60)
        self.assertEqual({name.lower(): code for name, code in named},
                         {name.replace("_", "").lower(): code for name, code in codes.items()})

    def test_headers_know_nothing_of_glib(self):
        names = os.listdir(f"{PREFIX}/include/SharedAuthQt6/SharedAuthQt")
        umbrella = self.header("SharedAuthQt.h")
        for name in set(names) - {"SharedAuthQt.h", "Export.h"}:
            self.assertIn(f'#include "{name}"', umbrella)
        for name in names:
            includes = re.findall(r"#include [<\"](.*)[>\"]", self.header(name))
            self.assertEqual([one for one in includes if not re.match(r"Q\w+$|\w+\.h$|memory$", one)], [], name)
            self.assertNotRegex(self.header(name), r"glib|\bG[A-Z]\w+ ?\*|SharedAuth(Session|User|Request) \*")

    def test_library(self):
        """It has one version, hides what is not public, and is never unloaded."""
        library = f"{PREFIX}/lib/libSharedAuthQt6.so"
        self.assertEqual(os.path.basename(os.path.realpath(library)), f"libSharedAuthQt6.so.0.{version()[2:]}")
        self.assertEqual(version()[:2], "0.")
        dynamic = subprocess.run(["readelf", "-dW", library], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.assertIn("[libSharedAuthQt6.so.0]", dynamic)
        self.assertRegex(dynamic, r"\(FLAGS_1\).*NODELETE")
        symbols = subprocess.run(["nm", "-DC", library], check=True, stdout=subprocess.PIPE, text=True).stdout
        exported = {line.split(" ", 2)[2] for line in symbols.splitlines() if re.match(r"\w+ [TDBR] ", line)}
        self.assertIn("SharedAuth::Session::load()", exported)
        private = re.compile(r"::(\w*Private|Calls|GLib|Worker|\w+Data)::")
        self.assertEqual([name for name in exported if private.search(name) or "SharedAuth::" not in name], [])

    def test_calls_in_qml(self):
        """The QML module has the calls of C++, and says so to tools."""
        calls = set(re.findall(r"^    Future<\w+> (\w+)\(", self.header("Session.h"), re.MULTILINE))
        types = self.read(f"{MODULE}/SharedAuthQml.qmltypes")
        methods = re.findall(r'name: "(\w+)";?\s+type: "SharedAuth::Call"', types)
        self.assertGreater(len(calls), 20)
        self.assertEqual(set(methods), calls)
        self.assertEqual(calls, set(re.findall(r"add\(made->(\w+)\(", self.read(f"{FOLDER}/qt/futures.cpp"))))
        for name in ("Session", "LocalProvider", "OpenIdProvider", "AuthError"):
            self.assertIn(f'"org.sharedauth/{name} ', types)

    def test_qmllint(self):
        """The tool that checks QML knows the module, and all that the sample uses of it."""
        def lint(file):
            command = [QMLLINT, "-I", f"{PREFIX}/lib/qt6/qml", file]
            return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

        done = lint(f"{FOLDER}/../../../Samples/Languages/planner/Planner.qml")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        with tempfile.NamedTemporaryFile("w", suffix=".qml") as file:
            file.write("import org.sharedauth\nSession { identityProvider: LocalProvider { issuer: 'x' } }\n")
            file.flush()
            self.assertIn("issuer", lint(file.name).stdout)

    def test_exported_target(self):
        """A library that shows the types is installed, and a program uses it with the library's own types."""
        subprocess.run(["cmake", "--install", BUILT.name], check=True, stdout=subprocess.DEVNULL)
        installed = f"{BUILT.name}/installed"
        build(f"{FOLDER}/qt/consumer", f"{BUILT.name}/consumer", prefix=f"{installed};{PREFIX}")
        paths = {**os.environ, "LD_LIBRARY_PATH": f"{installed}/lib:{os.environ['LD_LIBRARY_PATH']}"}
        command = [f"{BUILT.name}/consumer/consumer", fresh_names()["app_id"]]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=60, env=paths)
        self.assertEqual(done.stdout, "session 1\nloaded 1\n")

    def test_version(self):
        """A project gets the version that it asks for, or a newer one."""
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/CMakeLists.txt", "w") as file:
                file.write("cmake_minimum_required(VERSION 3.16)\nproject(version LANGUAGES CXX)\n")
                for asked in (version(), "0.9999", "1.0"):
                    file.write(f'find_package(SharedAuthQt6 {asked} QUIET)\nmessage("${{SharedAuthQt6_FOUND}}")\n'
                               "unset(SharedAuthQt6_DIR CACHE)\n")
            command = ["cmake", "-S", folder, "-B", f"{folder}/build", f"-DCMAKE_PREFIX_PATH={PREFIX}"]
            done = subprocess.run(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.stderr, "1\n0\n0\n")


class Article(unittest.TestCase):
    """Builds and runs the code blocks of the article with its CMake project."""

    def output(self, code, lines):
        """Builds a main.cpp, and returns the first lines of its output. Some programs do not exit by themselves."""
        self.write("main.cpp", code)
        build(self.folder, f"{self.folder}/build", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
        command = ["timeout", "60", f"{self.folder}/build/dashboard"]
        program = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=self.folder)
        with program:
            printed = [program.stderr.readline().strip() for _ in range(lines)]
            program.terminate()
        return printed

    def write(self, name, text):
        with open(f"{self.folder}/{name}", "w") as file:
            file.write(text)

    def test_programs(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        article = text("Qt")
        [project], [page] = blocks(article, "cmake"), blocks(article, "qml")
        observe, sign_in, future, qml, server = blocks(article, "cpp")
        self.write("CMakeLists.txt", project)
        self.assertEqual(self.output(observe, 1), ["no user is signed in"])
        self.assertEqual(self.output(sign_in, 1), ["linus@example.org is signed in"])
        self.assertEqual(self.output(future, 1), ["a guest is signed in"])
        self.assertEqual(self.output(server, 2), ["linus is signed in", "another ID token"])

        self.write("CMakeLists.txt", project.replace("Widgets", "Quick"))
        self.write("main.qml", page)
        # The guest of an earlier block.
        self.assertEqual(self.output(qml, 1), ["qml: a guest is signed in"])


class Lifetime(unittest.TestCase):
    def test_deletions_options_and_futures(self):
        done = subprocess.run(
            [f"{BUILT.name}/lifetime"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=200
        )
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
