"""Tests the end of a session: close(), dispose, and the last reference."""

import gc
import os
import threading
import weakref

from support import (
    Error, Gio, GLib, Keyring, SharedAuth, State, TestCase, begin, call, fresh_names, raw_session, session, wait
)
from test_calls import calls
from test_lifetime import descriptors, run
from test_provider import Kind, Server


def memory():
    """Returns the resident memory of this process, in kilobytes."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


def collected(things):
    """Waits until all objects of these weak references are collected."""
    timer = GLib.timeout_add(20, lambda: True)
    try:
        wait(lambda: gc.collect() is not None and not any(thing() for thing in things))
    finally:
        GLib.source_remove(timer)


class Closing(TestCase):
    def test_every_call_fails(self):
        shown = session()
        user = call(shown, "sign_in_anonymously")
        shown.close()
        shown.close()
        for name, arguments in calls(user).items():
            with self.subTest(name):
                error = self.assertFails(Error.APP_DELETED, call, shown, name, *arguments)
                self.assertIn("Create another session.", error.message)
                cancellable = Gio.Cancellable()
                cancellable.cancel()
                self.assertCancelled(call, shown, name, *arguments, cancellable=cancellable)
        self.assertFails(Error.APP_DELETED, shown.handle_redirect, "http://127.0.0.1/callback")

    def test_properties_say_that_it_is_closed(self):
        names = fresh_names()
        shown = session(access_group="group.org.example.languages", **names)
        uid = call(shown, "sign_in_anonymously").props.uid
        heard, announced = [], []
        shown.connect("notify", lambda _, parameter: heard.append(parameter.name))
        shown.connect("announced", lambda *_: announced.append(True))
        shown.close()
        wait(lambda: "error" in heard)
        properties = shown.props
        self.assertEqual((properties.state, properties.user, list(properties.accounts)), (State.UNAVAILABLE, None, []))
        self.assertTrue(properties.error.matches(SharedAuth.error_quark(), Error.APP_DELETED))
        self.assertEqual((properties.access_group, properties.identity_provider), ("group.org.example.languages", None))
        self.assertIsNone(properties.user_issuer)
        self.assertEqual(sorted(heard), ["accounts", "error", "identity-provider", "state", "user", "user-issuer"])
        # Nothing of what other sessions do is heard.
        other = session(access_group="group.org.example.languages", **names)
        self.assertEqual(other.props.user.props.uid, uid)
        call(other, "sign_out")
        self.assertEqual((announced, properties.state), ([], State.UNAVAILABLE))

    def test_before_the_first_load(self):
        shown, announced = raw_session(), []
        shown.connect("announced", lambda *_: announced.append(True))
        end = begin(shown, "load")
        shown.close()
        self.assertFails(Error.APP_DELETED, end)
        call(session(), "load")
        self.assertEqual((announced, shown.props.state), ([], State.UNAVAILABLE))

    def test_in_a_handler(self):
        shown, heard = session(), []
        shown.connect("announced", lambda made, user: (heard.append(user), made.close()))
        shown.connect("notify::state", lambda made, _: heard.append(made.props.state))
        call(shown, "sign_in_anonymously")
        wait(lambda: heard[-1:] == [State.UNAVAILABLE])
        self.assertEqual((heard[0], len(heard)), (State.SIGNED_IN, 3))

    def test_on_another_thread(self):
        shown, heard = session(), []
        shown.connect("notify::state", lambda *_: heard.append(threading.get_ident()))
        thread = threading.Thread(target=shown.close)
        thread.start()
        wait(lambda: heard)
        thread.join()
        self.assertEqual(heard, [threading.get_ident()])

    def test_calls_in_progress_end(self):
        shown = session()
        call(shown, "sign_in_anonymously")
        Keyring.pause()
        try:
            end = begin(shown, "get_stored_user", None)
            shown.close()
            # The keyring is still paused.
            self.assertFails(Error.APP_DELETED, end)
        finally:
            Keyring.resume()

    def test_sign_in_in_progress_ends(self):
        server = Server()
        shown = session(server.provider)
        end, request = server.hold_sign_in(shown)
        shown.close()
        self.assertFails(Error.APP_DELETED, end)
        wait(lambda: request.props.cancellable.is_cancelled())

    def test_later_sessions_have_other_options(self):
        names = fresh_names()
        for end in (lambda made: made.close(), lambda made: made.run_dispose()):
            first, second = session(**names), session(**names)
            end(first)
            # The second one still uses the options.
            other = session(timeout=1000, **names)
            self.assertTrue(other.props.error.matches(SharedAuth.error_quark(), Error.ALREADY_CONFIGURED))
            end(second)
            other = session(timeout=1000, **names)
            self.assertEqual((other.props.state, other.props.error), (State.SIGNED_OUT, None))
            self.assertFails(Error.APP_DELETED, call, first, "load")
            end(other)

    def test_other_options_in_place_of_a_misconfigured_session(self):
        names = fresh_names()
        first = session(**names)
        misconfigured = session(timeout=1000, **names)
        misconfigured.close()
        wait(lambda: misconfigured.props.error.matches(SharedAuth.error_quark(), Error.APP_DELETED))
        first.close()
        self.assertEqual(session(timeout=1000, **names).props.state, State.SIGNED_OUT)


class Cycles(TestCase):
    """Handlers that refer to the session, which refers to their objects."""

    def make(self):
        """Returns weak references to a closed session, its provider and its user, whose handlers referred to it."""
        server = Server()
        made = session(server.provider)
        server.provider.connect("refresh", lambda *_: made.props.state)
        made.connect("announced", lambda *_: made.props.state)
        user = call(made, "sign_in_with_password", "ada@example.org", "right")
        user.connect("notify", lambda *_: made.props.state)
        made.props.accounts.connect("items-changed", lambda *_: made.props.state)
        return made, [weakref.ref(thing) for thing in (made, server.provider, user)]

    def test_close_ends_them(self):
        made, things = self.make()
        made.close()
        del made
        collected(things)

    def test_dispose_ends_them(self):
        made, things = self.make()
        made.run_dispose()
        del made
        collected(things)

    def test_thousand_sessions_with_a_provider_that_refers_to_them(self):
        """Runs ROUNDS rounds; 1000 if that variable is not set."""
        rounds = int(os.environ.get("ROUNDS", "1000"))

        def play():
            things = []
            # Few at a time: the threads of many would take memory that is kept for later ones.
            for _ in range(50):
                provider = SharedAuth.CustomProvider(issuer="https://example.org")
                made = raw_session(provider)
                provider.connect("sign-in", lambda _, request, made=made: request.return_error(made.props.state, "no"))
                things += [weakref.ref(made), weakref.ref(provider)]
                made.close()
            del made, provider
            collected(things)
            # Descriptors of ended sessions are closed later, without an event to wait for.
            timer = GLib.timeout_add(50, lambda: True)
            wait(lambda: descriptors() < 40)
            GLib.source_remove(timer)

        for _ in range(10):
            play()
        before = memory()
        for _ in range(rounds // 50):
            play()
        # A session that remained would keep more memory than this, besides its connection.
        self.assertLess(memory() - before, 8 * rounds)


class Collected(TestCase):
    def test_a_session_that_nobody_holds_says_so_in_the_log(self):
        program = (
            "from support import *\n"
            "def listen():\n"
            "    made = session()\n"
            "    made.connect('announced', lambda *_: None)\n"
            "listen()\n"
            "made = session()\n"
            "made.close()\n"
        )
        done = run(program, G_MESSAGES_DEBUG="SharedAuth")
        self.assertEqual(done.returncode, 0, done.stderr)
        logged = done.stdout + done.stderr
        self.assertEqual(logged.count("a session was released without close(), and emits no more signals"), 1, logged)

    def test_close_is_no_warning(self):
        program = (
            "from support import *\n"
            "made = session()\n"
            "call(made, 'sign_in_anonymously')\n"
            "made.close()\n"
            "made.close()\n"
            "wait(lambda: made.props.state == State.UNAVAILABLE)\n"
            "made.run_dispose()\n"
            "made.close()\n"
        )
        done = run(program, G_DEBUG="fatal-warnings")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    import unittest

    unittest.main()
