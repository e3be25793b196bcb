"""Tests the names in error messages: the GObject library replaces every name of the Swift API."""

import pathlib
import re
import unittest

ROOMS = ["Sources/Keyring", "Sources/Auth", "Sources/SignIn"]
TABLE = pathlib.Path("Sources/Languages/SharedAuthGLib/AuthError+GError.swift")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
# A member of a type or of an object, or a function with labels or with a name in camel case.
NAME = re.compile(
    r"\b(?:Options|Auth|auth|AuthApp)\.\w+(?:\([\w:]*\))?|(?<![.\w])(?:[a-z]\w*\((?:\w+:)+\)|[a-z]+[A-Z]\w*\(\))"
)
# Messages that no call of the GObject library leads to.
NOT_REACHED = {
    "AuthApp.delete()": "a session never deletes its app",
    "Auth.auth()": "a session configures its own app",
    "signOut()": "for callers that may pass no user",
    "serveMainQueue()": "a program in Swift calls it",
    "sendEmailVerification(beforeUpdatingEmail:)": "a session does not change addresses",
    "assertionForEnrollment(with:oneTimePassword:)": "a session enrolls no second factor",
    "assertionForSignIn(withEnrollmentID:oneTimePassword:)": "a session resolves no second factor",
    "Set Options.store to .fleet() of the module SharedAuthFleet.": "a session does not set the property for fleets",
    "or choose a store of this device in Options.store.": "a session does not set the property for fleets",
    "The link is for a tenant other than Auth.tenantID.": "a session signs in with no link",
    "Set Options.identityProvider to .oauth2(_:), and sign in with Auth.signIn(with:).": "a session always has a store",
}


def messages():
    """Returns the string literals of the library outside comments and unavailable declarations."""
    texts = []
    for room in ROOMS:
        for path in pathlib.Path(room).rglob("*.swift"):
            if path.name.endswith("+Unavailable.swift"):
                continue
            code = re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.MULTILINE)
            joined = re.sub(r'"\s*\+\s*"', "", code)
            texts += [text for text in LITERAL.findall(joined) if " " in text]
    return texts


class Messages(unittest.TestCase):
    table = [swift for swift, _ in re.findall(r'\(\s*"([^"]+)",\s*"([^"]+)"\s*\)', TABLE.read_text())]

    def test_every_name_is_replaced(self):
        self.assertGreater(len(self.table), 10)
        missed = set()
        for text in messages():
            rest = text
            for known in [*self.table, *NOT_REACHED]:
                rest = rest.replace(known, "")
            missed |= {f"{name} in: {text}" for name in NAME.findall(rest)}
        self.assertEqual(missed, set())

    def test_every_replaced_text_is_in_a_message(self):
        texts = messages()
        for known in [*self.table, *NOT_REACHED]:
            self.assertTrue(any(known in text for text in texts), known)
