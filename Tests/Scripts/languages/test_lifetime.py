"""Tests for leaks after the end of a session, for exits and unloading, and for calls with invalid arguments."""

import ctypes
import gc
import os
import subprocess
import sys

from support import GLib, SharedAuth, State, TestCase, call, fresh_names, session, wait

LIBRARY = "libsharedauth-glib-1.so.0"


def threads():
    return len(os.listdir("/proc/self/task"))


def descriptors():
    return len(os.listdir("/proc/self/fd"))


def run(program, **environment):
    return subprocess.run(
        [sys.executable, "-c", program], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, **environment},
    )


class Lifetime(TestCase):
    def test_thousand_sessions_leak_nothing(self):
        def make(count, **names):
            for _ in range(count):
                made = session(None, **names)
                made = None
            gc.collect()

        # First with an engine per session, then with the same app id.
        for names in ({}, {"app_id": "org.example.languages.many"}):
            with self.subTest(names):
                make(50, **names)
                wait(lambda: descriptors() < 40 and threads() < 80)
                before = (threads(), descriptors())
                make(950, **names)
                # Threads and descriptors of released sessions end later, without an event to wait for.
                timer = GLib.timeout_add(50, lambda: True)
                wait(lambda: threads() <= before[0] + 8 and descriptors() <= before[1] + 4)
                GLib.source_remove(timer)

    def test_ended_session_does_not_exclude_other_options(self):
        names = fresh_names()
        for timeout in range(5000, 5100):
            made = session(timeout=timeout, **names)
            self.assertEqual(made.props.state, State.SIGNED_OUT, made.props.error)
            made = None

    def test_python_exits_during_calls(self):
        program = (
            "from support import *\n"
            "made = [session() for _ in range(3)]\n"
            "for one in made:\n"
            "    one.connect('notify', lambda *_: None)\n"
            "    call(one, 'sign_in_anonymously').mark = 1\n"
            "    one.sign_out_async(None, lambda *_: None)\n"
            "    one.get_id_token_async(False, None, lambda *_: None)\n"
        )
        for _ in range(3):
            done = run(program)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_unloads_and_loads_again(self):
        program = (
            "import ctypes, _ctypes\n"
            "for _ in range(2):\n"
            f"    library = ctypes.CDLL('{LIBRARY}')\n"
            "    library.shared_auth_session_new.restype = ctypes.c_void_p\n"
            "    made = library.shared_auth_session_new(b'org.example.languages.loaded', None)\n"
            "    assert made\n"
            "    ctypes.CDLL('libgobject-2.0.so.0').g_object_unref(ctypes.c_void_p(made))\n"
            "    _ctypes.dlclose(library._handle)\n"
        )
        done = run(program)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_logs_no_warnings(self):
        program = (
            "from support import *\n"
            "made = session()\n"
            "call(made, 'sign_in_anonymously')\n"
            "call(made, 'use_access_group', 'group.org.example.languages.quiet')\n"
            "assert [made.get_property(p.name) for p in made.list_properties()]\n"
            "call(made, 'sign_out')\n"
        )
        done = run(program, G_DEBUG="fatal-warnings")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_logs_no_secret(self):
        program = (
            "from support import *\n"
            "made = session()\n"
            "call(made, 'create_user', 'ada@example.org', 'correct horse')\n"
            "print(call(made, 'get_id_token', False), made.props.user.props.uid)\n"
            "call(made, 'sign_out')\n"
        )
        done = run(program, G_MESSAGES_DEBUG="SharedAuth")
        token, uid = next(line for line in done.stdout.splitlines() if line.startswith("ey")).split()
        logged = done.stdout.replace(f"{token} {uid}", "") + done.stderr
        self.assertIn("createUser succeeded", logged)
        for secret in (token, uid, "ada@example.org", "correct horse"):
            self.assertNotIn(secret, logged)


class BadInput(TestCase):
    """NULL, objects of other types, unknown values, invalid UTF-8: each call only logs one critical."""

    PROGRAM = f"""
import ctypes
from support import *
library, gobject = ctypes.CDLL({LIBRARY!r}), ctypes.CDLL("libgobject-2.0.so.0")
pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
for name in ("dup_user", "dup_access_group", "dup_error", "get_accounts", "new", "new_with_access_group"):
    getattr(library, "shared_auth_session_" + name).restype = pointer
"""

    def criticals(self, body):
        done = run(self.PROGRAM + body)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr.count("SharedAuth-CRITICAL")

    def test_null_session(self):
        names = [name for name, in self.functions("shared_auth_session_")]
        self.assertGreater(len(names), 40)
        body = "".join(
            f"library.{name}(None, None, None, None, None, None, None, None, None)\n" for name in names
        )
        self.assertEqual(self.criticals(body), len(names))

    def test_null_users_requests_and_providers(self):
        kinds = ("user", "request", "identity_provider", "openid_provider", "oauth_provider", "firebase_provider", "custom_provider")
        names = [name for kind in kinds for name, in self.functions(f"shared_auth_{kind}_")]
        self.assertGreater(len(names), 40)
        body = "".join(f"library.{name}(None, None, None, None, None, None)\n" for name in names)
        self.assertEqual(self.criticals(body), len(names))

    def test_wrong_arguments(self):
        body = """
made = session()
this = pointer(hash(made))
user = pointer(hash(SharedAuth.User()))
broken = text(b"\\xff\\xfe")
library.shared_auth_session_sign_in_with_password_async(this, None, text(b"x"), None, None, None)
library.shared_auth_session_sign_in_with_password_async(this, text(b"x"), None, None, None, None)
library.shared_auth_session_sign_in_with_password_async(this, broken, text(b"x"), None, None, None)
library.shared_auth_session_create_user_async(this, None, None, None, None, None)
library.shared_auth_session_link_with_password_async(this, None, None, None, None, None)
library.shared_auth_session_use_access_group_async(this, broken, None, None, None)
library.shared_auth_session_migrate_async(this, None, number(77), None, None, None)
library.shared_auth_session_update_current_user_async(this, None, None, None, None)
library.shared_auth_session_update_current_user_async(this, this, None, None, None)
library.shared_auth_session_sign_out_async(user, None, None, None)
library.shared_auth_session_sign_out_finish(this, None, None)
library.shared_auth_session_new(broken, None)
library.shared_auth_session_new(None, this)
library.shared_auth_session_new_with_access_group(None, broken, None)
library.shared_auth_session_dup_app_id(user)
library.shared_auth_session_get_timeout(user)
library.shared_auth_user_dup_issuer(this)
library.shared_auth_openid_provider_dup_issuer(pointer(hash(SharedAuth.LocalProvider())))
library.shared_auth_openid_provider_new(None, None)
library.shared_auth_oauth_provider_new(None, text(b"desktop"))
library.shared_auth_oauth_provider_new(broken, text(b"desktop"))
library.shared_auth_session_handle_uri(this, None, None)
library.shared_auth_session_handle_uri(this, broken, None)
library.shared_auth_session_handle_uri(user, text(b"com.example.mail:/signed-in"), None)
library.shared_auth_custom_provider_new(None)
assert made.props.state == State.SIGNED_OUT
"""
        self.assertEqual(self.criticals(body), 25)

    def test_access_group_that_is_not_text(self):
        body = """
library.shared_auth_session_get_type.restype = ctypes.c_size_t
library.shared_auth_session_get_state.argtypes = [pointer]
gobject.g_object_new.restype = pointer
kind = ctypes.c_size_t(library.shared_auth_session_get_type())
made = gobject.g_object_new(
    kind, text(b"app-id"), text(b"org.example.languages"), text(b"access-group"), text(b"\\xff\\xfe"), None
)
state = lambda: library.shared_auth_session_get_state(made)
wait(lambda: state() != State.UNKNOWN)
assert state() == State.UNAVAILABLE, state()
"""
        self.assertEqual(self.criticals(body), 0)

    def test_finish_of_another_call(self):
        body = """
made = session()
results = []
made.load_async(None, lambda _, result: results.append(result))
wait(lambda: results)
library.shared_auth_session_sign_out_finish(pointer(hash(made)), pointer(hash(results[0])), None)
other = session()
library.shared_auth_session_load_finish(pointer(hash(other)), pointer(hash(results[0])), None)
made.load_finish(results[0])
"""
        self.assertEqual(self.criticals(body), 2)

    def test_unknown_error_code_of_a_provider(self):
        body = """
from test_provider import *
server = Server()
library.shared_auth_request_return_error.argtypes = [pointer, number, text]
server.answers[Kind.PASSWORD] = lambda request: library.shared_auth_request_return_error(hash(request), 1, b"one")
made = session(server.provider)
try:
    call(made, "sign_in_with_password", "a", "b")
    raise AssertionError("it must fail")
except GLib.Error as error:
    assert error.matches(SharedAuth.error_quark(), Error.INTERNAL_ERROR), error
"""
        self.assertEqual(self.criticals(body), 0)

    @staticmethod
    def functions(prefix):
        """Yields the exported functions whose first parameter is an object of the library."""
        path = os.environ["LANGUAGES_PREFIX"] + "/lib/" + LIBRARY
        lines = subprocess.run(["nm", "-D", "--defined-only", path], stdout=subprocess.PIPE, text=True).stdout
        for line in lines.splitlines():
            name = line.split()[-1].split("@")[0]
            if name.startswith(prefix) and not name.endswith("_get_type") and "_new" not in name:
                yield (name,)


if __name__ == "__main__":
    import unittest

    unittest.main()
