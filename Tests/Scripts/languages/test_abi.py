"""Tests the ABI of the library: its exported symbols, and their introspection data."""

import glob
import os
import re
import subprocess
import unittest
import xml.etree.ElementTree as XML

from support import SharedAuth

CORE, C, GLIB = (
    "{http://www.gtk.org/introspection/core/1.0}",
    "{http://www.gtk.org/introspection/c/1.0}",
    "{http://www.gtk.org/introspection/glib/1.0}",
)
PREFIX = os.environ["LANGUAGES_PREFIX"]
LIBRARY = f"{PREFIX}/lib/libsharedauth-glib-1.so.0"
ROOT = f"{os.path.dirname(os.path.abspath(__file__))}/../../.."

# Codes of Firebase that no call of this library can mean: of custom tokens, e-mails with links, phone numbers, second
# factors, proofs of reCAPTCHA, and systems other than this one.
NOT_LISTED = set(
    """invalidCustomToken customTokenMismatch
    expiredActionCode invalidActionCode invalidMessagePayload invalidSender invalidRecipientEmail missingIosBundleID
    missingAndroidPackageName invalidHostingLinkDomain
    missingPhoneNumber invalidPhoneNumber missingVerificationCode invalidVerificationCode missingVerificationID
    invalidVerificationID missingAppCredential invalidAppCredential sessionExpired missingAppToken appNotVerified
    captchaCheckFailed missingClientIdentifier notificationNotForwarded appVerificationUserInteractionFailure
    missingMultiFactorSession missingMultiFactorInfo invalidMultiFactorSession multiFactorInfoNotFound
    secondFactorAlreadyEnrolled maximumSecondFactorCountExceeded unsupportedFirstFactor
    invalidRecaptchaToken invalidRecaptchaAction invalidRecaptchaVersion invalidReqType recaptchaSDKNotLinked
    recaptchaSiteKeyMissing recaptchaActionCreationFailed
    webNetworkRequestFailed localPlayerNotAuthenticated gameKitNotLinked""".split()
)
# Those of calls that exist in Swift only: of custom tokens, e-mails with links, and second factors.
IN_SWIFT = {"invalidCustomToken", "invalidActionCode", "invalidMultiFactorSession", "missingMultiFactorInfo"}


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def exported():
    """Returns the symbols that the library exports."""
    names = (line.split() for line in output("nm", "-D", "--defined-only", LIBRARY).splitlines())
    return sorted(words[-1] for words in names if words[-2].isupper() and words[-2] != "A")


def type_of(node):
    """Describes the type and the ownership of a parameter or a return value."""
    kind = node.find(f"{CORE}type")
    if kind is None:
        array = node.find(f"{CORE}array")
        kind = array.find(f"{CORE}type")
        name = f"array of {kind.get('name')}"
    else:
        name = kind.get("name")
    words = [name, node.get("transfer-ownership", "")]
    words += [word for word in ("nullable", "construct-only", "writable") if node.get(word) == "1"]
    words += [node.get("scope")] if node.get("scope") else []
    return " ".join(word for word in words if word)


def described():
    """Describes the introspection data, one line per item."""
    for thing in XML.parse(f"{PREFIX}/share/gir-1.0/SharedAuth-1.gir").getroot().find(f"{CORE}namespace"):
        kind, name = thing.tag.split("}")[1], thing.get("name")
        yield f"{kind} {name}"
        for part in thing:
            label = part.tag.split("}")[1]
            if label == "member":
                yield f"{kind} {name}.{part.get('name')} = {part.get('value')}"
            elif label in ("property",):
                yield f"property {name}:{part.get('name')} {type_of(part)}"
            elif label in ("method", "constructor", "function", "signal"):
                parameters = part.find(f"{CORE}parameters")
                given = parameters.findall(f"{CORE}parameter") if parameters is not None else []
                listed = ", ".join(f"{one.get('name')}: {type_of(one)}" for one in given)
                throws = " throws" if part.get("throws") else ""
                result = type_of(part.find(f"{CORE}return-value"))
                yield f"{label} {name}.{part.get('name')}({listed}) -> {result}{throws}"


class ABI(unittest.TestCase):
    maxDiff = None

    def test_exports_and_introspection(self):
        """Compares with abi.txt. `ABI_WRITE=1 Tests/Scripts/languages/run test_abi` updates it after a change."""
        found = [f"export {name}" for name in exported()] + list(described())
        path = f"{os.path.dirname(os.path.abspath(__file__))}/abi.txt"
        if os.environ.get("ABI_WRITE"):
            with open(path, "w") as file:
                file.write("\n".join(found) + "\n")
        with open(path) as file:
            self.assertEqual(found, file.read().splitlines())

    def test_exports_match_headers(self):
        declared = set()
        folder = f"{PREFIX}/include/sharedauth-glib-1"
        for header in os.listdir(folder):
            with open(f"{folder}/{header}") as file:
                text = file.read()
            declared |= set(re.findall(r"^[\w *]*\b(shared_auth_\w+) \(", text, re.MULTILINE))
            declared |= {f"{name}_get_type" for name in re.findall(r"^G_DECLARE_\w+ \(\w+, (\w+)", text, re.MULTILINE)}
        self.assertEqual({name.split("@")[0] for name in exported()}, declared)

    def test_symbols_have_the_version_since_when_they_exist(self):
        """The introspection data says the same as the symbols."""
        since = {}
        for node in XML.parse(f"{PREFIX}/share/gir-1.0/SharedAuth-1.gir").getroot().iter():
            for name in (node.get(f"{C}identifier"), node.get(f"{GLIB}get-type")):
                since[name] = node.get("version")
        found = dict(name.split("@@SHAREDAUTH_") for name in exported())
        self.assertGreater(len(found), 150)
        self.assertEqual(found, {name: since.get(name) for name in found})

    def test_links_no_unwanted_libraries(self):
        needed = set(re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "-d", LIBRARY)))
        mapped = set(re.findall(r"^\s+(lib\S+) =>", output("ldd", LIBRARY), re.MULTILINE))
        self.assertIn("libgio-2.0.so.0", needed)
        self.assertIn("libgio-2.0.so.0", mapped)
        for name in mapped:
            self.assertNotRegex(name, "^lib(pq|soup|curl|Foundation(Networking|XML|Internationalization)?)[-.]")

    def test_header_has_the_error_codes_that_can_occur(self):
        with open(f"{ROOT}/Sources/Auth/SharedAuth/Errors/AuthErrorCode.swift") as file:
            swift = re.findall(r"case (\w+) = (\d+)", file.read())
        with open(f"{ROOT}/Sources/Languages/CSharedAuthGLib/shared-auth-error.h") as file:
            header = re.findall(r"SHARED_AUTH_ERROR_(\w+) = (\d+)", file.read())
        self.assertGreater(len(swift), 80)
        expected = [(name.lower(), number) for name, number in swift if name not in NOT_LISTED]
        self.assertEqual(expected, [(name.replace("_", "").lower(), number) for name, number in header])

    def test_codes_that_are_not_listed_occur_in_no_source(self):
        sources = ""
        for folder in ("Auth/SharedAuth", "Keyring", "SignIn", "Languages/SharedAuthGLib"):
            for path in glob.glob(f"{ROOT}/Sources/{folder}/**/*.swift", recursive=True):
                # The names, and the answers of Firebase to requests that this library does not send.
                if "/Errors/" not in path and not path.endswith("/ErrorWord.swift"):
                    with open(path) as file:
                        sources += file.read()
        self.assertIn(".keyringLocked", sources)
        for name in NOT_LISTED - IN_SWIFT:
            self.assertNotRegex(sources, rf"\.{name}\b")

    def test_every_item_says_since_when_it_exists(self):
        namespace = XML.parse(f"{PREFIX}/share/gir-1.0/SharedAuth-1.gir").getroot().find(f"{CORE}namespace")
        kinds = ("property", "method", "constructor", "function", "signal")
        for thing in namespace:
            if thing.tag.split("}")[1] in ("class", "constant", "enumeration", "function", "function-macro"):
                parts = [part for part in thing if part.tag.split("}")[1] in kinds]
                for item in [thing, *parts]:
                    with self.subTest(f"{thing.get('name')} {item.get('name')}"):
                        self.assertRegex(item.get("version", "none"), r"^\d+\.\d+$")


class Headers(unittest.TestCase):
    """What a program in C sees."""

    def compile(self, source, *flags, compiler="gcc", language="c"):
        given = output("pkg-config", "--cflags", "sharedauth-glib-1").split()
        command = [compiler, "-x", language, "-Wall", "-Wextra", "-Werror", *flags, *given, "-fsyntax-only", "-"]
        return subprocess.run(command, input=source, stderr=subprocess.PIPE, text=True)

    def test_one_header_is_included(self):
        for header in os.listdir(f"{PREFIX}/include/sharedauth-glib-1"):
            done = self.compile(f"#include <{header}>\n")
            if header == "sharedauth-glib.h":
                self.assertEqual((done.returncode, done.stderr), (0, ""))
            else:
                self.assertIn("Only <sharedauth-glib.h> can be included directly.", done.stderr)

    def test_old_and_other_languages(self):
        for language, standard in (("c", "gnu89"), ("c", "c99"), ("c++", "c++11")):
            done = self.compile("#include <sharedauth-glib.h>\n", f"-std={standard}", language=language)
            self.assertEqual((done.returncode, done.stderr), (0, ""), standard)

    def test_final_classes_are_opaque(self):
        for name in ("User", "Request", "LocalProvider", "OpenIDProvider", "OAuthProvider", "FirebaseProvider"):
            done = self.compile(f"#include <sharedauth-glib.h>\nint size = sizeof (SharedAuth{name});\n")
            self.assertIn("incomplete type", done.stderr)

    def test_derivable_classes_have_room(self):
        for name, parent in (("IdentityProvider", "GObject"), ("CustomProvider", "SharedAuthIdentityProvider"),
                             ("Session", "GObject")):
            size = f"sizeof (SharedAuth{name}Class) == sizeof ({parent}Class) + 8 * sizeof (gpointer)"
            done = self.compile(f"#include <sharedauth-glib.h>\nG_STATIC_ASSERT ({size});\n")
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_version(self):
        with open(f"{ROOT}/Sources/Keyring/DesktopSupport/Version.swift") as file:
            version = re.search(r'current = "(.*)"', file.read()).group(1)
        numbers = [int(number) for number in version.split(".")]
        self.assertEqual(output("pkg-config", "--modversion", "sharedauth-glib-1").strip(), version)
        self.assertEqual([SharedAuth.MAJOR_VERSION, SharedAuth.MINOR_VERSION, SharedAuth.MICRO_VERSION], numbers)
        functions = (SharedAuth.get_major_version, SharedAuth.get_minor_version, SharedAuth.get_micro_version)
        self.assertEqual([function() for function in functions], numbers)
        table = [((0, 0, 0), True), (numbers, True), ((numbers[0], numbers[1], numbers[2] + 1), False),
                 ((numbers[0], numbers[1] + 1, 0), False), ((numbers[0] + 1, 0, 0), False)]
        for given, is_reached in table:
            self.assertEqual(SharedAuth.check_version(*given), is_reached)
            macro = "%sSHARED_AUTH_CHECK_VERSION (%d, %d, %d)" % ("" if is_reached else "!", *given)
            done = self.compile(f"#include <sharedauth-glib.h>\n#if !({macro})\n#error wrong\n#endif\n")
            self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
