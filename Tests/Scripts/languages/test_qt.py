"""Tests of the library in C++ with Qt Widgets and QML. CMake builds the programs with the installed headers."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.request

from oauth_server import OAuthServer, redirect
from support import Error, TestCase, fresh_names
from test_articles import blocks
from test_programs import DOMAIN, InEachLanguage, Program

FOLDER = os.path.dirname(os.path.abspath(__file__))
HEADERS = f"{os.environ['LANGUAGES_PREFIX']}/include"
PERSON = f"{FOLDER}/../../Suites/ForeignServerTests/Servers/person"
BUILT = tempfile.TemporaryDirectory()


def setUpModule():
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    unittest.addModuleCleanup(BUILT.cleanup)
    build(f"{FOLDER}/qt", BUILT.name)


def build(source, folder, *options):
    prefix = os.environ["LANGUAGES_PREFIX"]
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

    def test_event_loop_of_another_kind_is_reported_once(self):
        with Program(self.command, "sessions", fresh_names(), QT_NO_GLIB="1") as program:
            lines, problems = program.rest()
        failed = f"failed {DOMAIN} {int(Error.KEYRING_UNAVAILABLE)}"
        self.assertEqual(lines, [failed, failed, "state UNAVAILABLE"])
        self.assertEqual(problems.count("Nothing will be heard"), 1, problems)


class Qml(InEachLanguage, TestCase):
    command = [f"{BUILT.name}/qml", f"{FOLDER}/qt/program.qml"]

    def test_one_refresh_among_programs(self):
        self.assertOneRefresh(Widgets.command, self.command)


class Headers(unittest.TestCase):
    def test_every_code_of_an_error_has_a_name(self):
        with open(f"{HEADERS}/sharedauth-glib-1/shared-auth-error.h") as file:
            codes = set(re.findall(r"^  (SHARED_AUTH_ERROR_\w+) = \d+", file.read(), re.MULTILINE))
        with open(f"{HEADERS}/SharedAuthQt/AuthError.h") as file:
            named = dict(re.findall(r"^        (\w+) = (SHARED_AUTH_ERROR_\w+),", file.read(), re.MULTILINE))
        self.assertGreater(len(codes), 60)
        self.assertEqual(set(named.values()), codes)
        for name, code in named.items():
            self.assertEqual(name.lower(), code.removeprefix("SHARED_AUTH_ERROR_").replace("_", "").lower())


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
        [project], [page] = blocks("Qt", "cmake"), blocks("Qt", "qml")
        observe, sign_in, future, qml, server = blocks("Qt", "cpp")
        self.write("CMakeLists.txt", project)
        self.assertEqual(self.output(observe, 1), ["no user is signed in"])
        self.assertEqual(self.output(sign_in, 1), ["linus@example.org is signed in"])
        self.assertEqual(self.output(future, 1), ["a guest is signed in"])
        self.assertEqual(self.output(server, 2), ["linus is signed in", "another ID token"])

        project = project.replace("SharedAuthQt REQUIRED", "SharedAuthQt REQUIRED COMPONENTS Qml")
        self.write("CMakeLists.txt", project.replace("SharedAuthQt::SharedAuthQt", "SharedAuthQt::Qml"))
        self.write("main.qml", page)
        # The guest of an earlier block.
        self.assertEqual(self.output(qml, 1), ["qml: a guest is signed in"])


class Lifetime(unittest.TestCase):
    def test_deletions_and_options(self):
        done = subprocess.run(
            [f"{BUILT.name}/lifetime"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=200
        )
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
