"""Tests which options sessions and identity providers accept, and which classes can be derived from."""

import os
import subprocess
import sys
import xml.etree.ElementTree as XML

from support import Error, SharedAuth, State, TestCase, call, fresh_names, session
from test_lifetime import LIBRARY

GROUPS = ["group.org.example.one", "group.org.example.two"]
OPENID = {"issuer": "https://example.org", "client_id": "desktop"}
FINAL = ["User", "Request", "LocalProvider", "OpenIDProvider", "OAuthProvider", "FirebaseProvider"]
DERIVABLE = ["IdentityProvider", "CustomProvider", "Session"]


def run(program, **environment):
    """Runs a program in Python without the variable that assigns an app id."""
    given = {key: value for key, value in os.environ.items() if key != "SHAREDAUTH_APP_ID"}
    return subprocess.run(
        [sys.executable, "-c", "from support import *\n" + program], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env={**given, **environment},
    )


class AppIds(TestCase):
    PROGRAM = (
        "made = SharedAuth.Session()\n"
        "wait(lambda: made.props.state != State.UNKNOWN)\n"
        "print(made.props.app_id, made.props.error and made.props.error.code)\n"
    )

    def output(self, program=PROGRAM, **environment):
        done = run(program, **environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_the_name_of_the_interpreter_is_no_app_id(self):
        self.assertEqual(self.output(), ["None", str(int(Error.INVALID_APP_IDENTIFIER))])
        done = run(self.PROGRAM + "print(made.props.error.message)")
        self.assertIn("Create the session with app-id", done.stdout)

    def test_an_app_id_that_is_assigned(self):
        found = self.output(SHAREDAUTH_APP_ID="org.example.languages.assigned")
        self.assertEqual(found, ["org.example.languages.assigned", "None"])
        application = "app = Gio.Application(application_id='org.example.languages.default')\napp.set_default()\n"
        found = self.output(application + self.PROGRAM, SHAREDAUTH_APP_ID="org.example.languages.assigned")
        self.assertEqual(found, ["org.example.languages.default", "None"])


class Lists(TestCase):
    def assertUnavailable(self, code, provider="local", **options):
        made = session(provider, **options)
        self.assertEqual(made.props.state, State.UNAVAILABLE)
        self.assertTrue(made.props.error.matches(SharedAuth.error_quark(), code), made.props.error)
        self.assertFails(code, call, made, "sign_in_anonymously")

    def test_invalid_lists_are_errors(self):
        groups = [[], [""], ["nonsense"], [GROUPS[0], "two words.org"]]
        for access_groups in groups:
            with self.subTest(access_groups=access_groups):
                self.assertUnavailable(Error.INVALID_ACCESS_GROUP, access_groups=access_groups)
        for scopes in ([], [""], ["openid email"], ["openid", "\u00e9"]):
            with self.subTest(scopes=scopes):
                provider = SharedAuth.OpenIDProvider(scopes=scopes, **OPENID)
                self.assertUnavailable(Error.OPERATION_NOT_ALLOWED, provider)
        for parameters in ([""], ["prompt"], ["=login"], ["audience=x", "prompt login"]):
            with self.subTest(parameters=parameters):
                provider = SharedAuth.OpenIDProvider(parameters=parameters, **OPENID)
                self.assertUnavailable(Error.OPERATION_NOT_ALLOWED, provider)
        self.assertEqual(session(access_groups=None).props.state, State.SIGNED_OUT)
        provider = SharedAuth.OpenIDProvider(scopes=None, parameters=[], **OPENID)
        self.assertEqual(session(provider).props.state, State.SIGNED_OUT)

    def test_lists_that_are_not_text_are_errors(self):
        program = f"""
import ctypes
library, gobject = ctypes.CDLL({LIBRARY!r}), ctypes.CDLL("libgobject-2.0.so.0")
pointer, text = ctypes.c_void_p, ctypes.c_char_p
broken = (text * 2)(b"\\xff\\xfe", None)
gobject.g_object_new.restype = pointer
for name in ("session", "openid_provider"):
    getattr(library, f"shared_auth_{{name}}_get_type").restype = ctypes.c_size_t
library.shared_auth_session_get_state.argtypes = [pointer]
def make(kind, *properties):
    kind = ctypes.c_size_t(getattr(library, f"shared_auth_{{kind}}_get_type")())
    return pointer(gobject.g_object_new(kind, *properties, None))
provider = make("openid_provider", text(b"issuer"), text(b"https://example.org"), text(b"scopes"), broken)
for number, properties in enumerate([
    (text(b"app-id"), text(b"\\xff\\xfe")),
    (text(b"app-id"), text(b"org.example.languages"), text(b"project"), text(b"\\xff\\xfe")),
    (text(b"app-id"), text(b"org.example.languages"), text(b"access-groups"), broken),
    (text(b"app-id"), text(b"org.example.languages"), text(b"identity-provider"), provider),
]):
    made = make("session", *properties)
    wait(lambda: library.shared_auth_session_get_state(made) != State.UNKNOWN)
    assert library.shared_auth_session_get_state(made) == State.UNAVAILABLE, number
"""
        done = run(program, SHAREDAUTH_APP_ID="org.example.languages.assigned")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_lists_of_scopes_for_a_token(self):
        shown = session()
        call(shown, "sign_in_anonymously")
        for scopes in ([], [""], ["read write"]):
            with self.subTest(scopes):
                error = self.assertFails(Error.OPERATION_NOT_ALLOWED, call, shown, "get_access_token", scopes, False)
                self.assertIn("scopes", error.message)

    def test_the_order_of_lists_does_not_matter(self):
        openid = SharedAuth.OpenIDProvider
        rows = [
            ({"access_groups": GROUPS}, {"access_groups": [*reversed(GROUPS), GROUPS[0]]}, True),
            ({"access_groups": GROUPS}, {"access_groups": GROUPS[:1]}, False),
            ({"access_groups": GROUPS}, {}, False),
            ({"provider": openid(scopes=["openid", "email"], **OPENID)},
             {"provider": openid(scopes=["email", "openid"], **OPENID)}, True),
            ({"provider": openid(scopes=["openid", "email"], **OPENID)},
             {"provider": openid(scopes=["openid"], **OPENID)}, False),
            ({"provider": openid(scopes=["openid"], **OPENID)}, {"provider": openid(**OPENID)}, False),
            ({"provider": openid(parameters=["a=1", "b=2"], **OPENID)},
             {"provider": openid(parameters=["b=0", "b=2", "a=1"], **OPENID)}, True),
            ({"provider": openid(parameters=["a=1"], **OPENID)},
             {"provider": openid(parameters=["a=2"], **OPENID)}, False),
            ({"provider": openid(parameters=[], **OPENID)}, {"provider": openid(**OPENID)}, True),
        ]
        for number, (one, other, is_shared) in enumerate(rows):
            with self.subTest(number):
                names = fresh_names()
                first, second = session(**names, **one), session(**names, **other)
                expected = State.SIGNED_OUT if is_shared else State.UNAVAILABLE
                self.assertEqual((first.props.state, second.props.state), (State.SIGNED_OUT, expected))


class Classes(TestCase):
    def test_a_class_that_derives_from_the_abstract_provider(self):
        program = (
            "class Mine(SharedAuth.IdentityProvider):\n"
            "    pass\n"
            "provider = Mine()\n"
            "made = session(provider)\n"
            "assert made.props.state == State.UNAVAILABLE, made.props.state\n"
            "try:\n"
            "    call(made, 'sign_in_anonymously')\n"
            "except GLib.Error as error:\n"
            "    assert error.matches(SharedAuth.error_quark(), Error.OPERATION_NOT_ALLOWED), error\n"
            "    assert 'CustomProvider' in error.message, error.message\n"
            "    print('failed')\n"
            "made.close()\n"
        )
        done = run(program)
        self.assertEqual((done.returncode, done.stdout), (0, "failed\n"), done.stderr)
        self.assertEqual(done.stderr.count("SharedAuth-CRITICAL"), 1, done.stderr)

    def test_classes_that_derive_from_a_custom_provider_or_a_session(self):
        program = (
            "class Mine(SharedAuth.CustomProvider):\n"
            "    def __init__(self):\n"
            "        super().__init__(issuer='https://example.org')\n"
            "        self.connect('sign-in', self.sign_in)\n"
            "    def sign_in(self, _, request):\n"
            "        request.return_tokens('ada', 'id', None, GLib.MAXINT64)\n"
            "class Account(SharedAuth.Session):\n"
            "    pass\n"
            "made = Account(identity_provider=Mine(), **fresh_names())\n"
            "assert call(made, 'sign_in_anonymously').props.uid == 'ada'\n"
            "made.close()\n"
        )
        done = run(program)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_other_classes_are_final(self):
        path = os.environ["LANGUAGES_PREFIX"] + "/share/gir-1.0/SharedAuth-1.gir"
        core = "{http://www.gtk.org/introspection/core/1.0}"
        described = {node.get("name"): node.get("final") == "1" for node in XML.parse(path).iter(f"{core}class")}
        self.assertEqual(described, {name: name in FINAL for name in FINAL + DERIVABLE})
        for name in FINAL:
            with self.subTest(name):
                done = run(
                    "try:\n"
                    f"    class Mine(SharedAuth.{name}):\n"
                    "        pass\n"
                    "except Exception:\n"
                    "    print('refused')\n"
                )
                self.assertEqual((done.returncode, done.stdout), (0, "refused\n"), done.stderr)


if __name__ == "__main__":
    import unittest

    unittest.main()
