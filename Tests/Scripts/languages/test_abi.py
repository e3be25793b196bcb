"""Tests the ABI of the library: its exported symbols, and their introspection data."""

import os
import re
import subprocess
import unittest
import xml.etree.ElementTree as XML

CORE, C, GLIB = (
    "{http://www.gtk.org/introspection/core/1.0}",
    "{http://www.gtk.org/introspection/c/1.0}",
    "{http://www.gtk.org/introspection/glib/1.0}",
)
PREFIX = os.environ["LANGUAGES_PREFIX"]
LIBRARY = f"{PREFIX}/lib/libsharedauth-glib-1.so.0"


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
                declared |= set(re.findall(r"^[\w *]*\b(shared_auth_\w+) \(", file.read(), re.MULTILINE))
        self.assertEqual({name.split("@")[0] for name in exported()}, declared)

    def test_links_no_unwanted_libraries(self):
        needed = set(re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "-d", LIBRARY)))
        mapped = set(re.findall(r"^\s+(lib\S+) =>", output("ldd", LIBRARY), re.MULTILINE))
        self.assertIn("libgio-2.0.so.0", needed)
        self.assertIn("libgio-2.0.so.0", mapped)
        for name in mapped:
            self.assertNotRegex(name, "^lib(pq|soup|curl|Foundation(Networking|XML|Internationalization)?)[-.]")

    def test_header_has_the_error_codes(self):
        root = f"{os.path.dirname(os.path.abspath(__file__))}/../../.."
        with open(f"{root}/Sources/Auth/SharedAuth/Errors/AuthErrorCode.swift") as file:
            swift = re.findall(r"case (\w+) = (\d+)", file.read())
        with open(f"{root}/Sources/Languages/CSharedAuthGLib/shared-auth-error.h") as file:
            header = re.findall(r"SHARED_AUTH_ERROR_(\w+) = (\d+)", file.read())
        self.assertGreater(len(swift), 80)
        self.assertEqual([(name.lower(), number) for name, number in swift],
                         [(name.replace("_", "").lower(), number) for name, number in header])


if __name__ == "__main__":
    unittest.main()
