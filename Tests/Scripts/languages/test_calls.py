"""Tests async calls: results, errors, cancellation, main contexts, and a keyring that does not respond."""

import gc
import inspect
import os
import threading
import time
import weakref

from support import Error, Gio, GLib, Keyring, SharedAuth, State, TestCase, begin, call, raw_session, session, wait


def calls(user):
    """Returns every async call with arguments for it."""
    return {
        "load": (),
        "use_access_group": ("group.org.example.languages",),
        "get_stored_user": (None,),
        "update_current_user": (user,),
        "migrate": ("group.org.example.languages", SharedAuth.MigrationPolicy.FAIL),
        "sign_in_anonymously": (),
        "sign_in_with_password": ("ada@example.org", "correct horse"),
        "create_user": ("eve@example.org", "correct horse"),
        "sign_in_with_browser": (None,),
        "sign_in_with_device_code": (),
        "sign_in_with_tokens": ("eve", None, "refresh", int(time.time()) + 3600, None),
        "sign_out": (),
        "switch_account": (user,),
        "get_id_token": (False,),
        "get_access_token": (None, False),
        "unlock": (),
        "reload": (),
        "delete_user": (),
        "link_with_password": ("eve@example.org", "correct horse"),
    }


class Calls(TestCase):
    def test_table_lists_every_call(self):
        names = {name for name, _ in inspect.getmembers(SharedAuth.Session) if name.endswith("_async")}
        self.assertEqual(names, {f"{name}_async" for name in calls(None)})

    def test_errors(self):
        shown = session()
        rows = [
            ("sign_in_with_password", ("ada@example.org", "wrong"), Error.USER_NOT_FOUND),
            ("create_user", ("no address", "correct horse"), Error.INVALID_EMAIL),
            ("create_user", ("ada@example.org", "x"), Error.WEAK_PASSWORD),
            ("use_access_group", ("nonsense",), Error.INVALID_ACCESS_GROUP),
            ("get_id_token", (False,), Error.NULL_USER),
            ("reload", (), Error.NULL_USER),
            ("delete_user", (), Error.NULL_USER),
            ("update_current_user", (SharedAuth.User(),), Error.NULL_USER),
            ("migrate", (None, SharedAuth.MigrationPolicy.FAIL), Error.NULL_USER),
            ("sign_in_with_browser", (None,), Error.OPERATION_NOT_ALLOWED),
            ("sign_in_with_device_code", (), Error.OPERATION_NOT_ALLOWED),
            ("sign_in_with_tokens", ("", None, "refresh", int(time.time()) + 60, None), Error.INTERNAL_ERROR),
        ]
        for name, arguments, code in rows:
            with self.subTest(name):
                self.assertFails(code, call, shown, name, *arguments)
                self.assertEqual(shown.props.state, State.SIGNED_OUT)

    def test_account_lifecycle(self):
        shown = session()
        guest = call(shown, "sign_in_anonymously")
        uid = guest.props.uid
        self.assertTrue(guest.props.is_anonymous)
        linked = call(shown, "link_with_password", "ada@example.org", "correct horse")
        seen = (linked.props.uid, linked.props.email, linked.props.is_anonymous)
        self.assertEqual(seen, (uid, "ada@example.org", False))
        self.assertEqual(call(shown, "get_id_token", False).count("."), 2)
        self.assertFails(Error.OPERATION_NOT_ALLOWED, call, shown, "get_access_token", ["profile"], False)
        call(shown, "reload")
        call(shown, "sign_out")
        self.assertEqual(shown.props.state, State.SIGNED_OUT)
        self.assertFails(Error.WRONG_PASSWORD, call, shown, "sign_in_with_password", "ada@example.org", "wrong horse")
        self.assertEqual(call(shown, "sign_in_with_password", "ada@example.org", "correct horse").props.uid, uid)
        call(shown, "delete_user")
        self.assertFails(Error.USER_NOT_FOUND, call, shown, "sign_in_with_password", "ada@example.org", "correct horse")

    def test_sign_in_with_own_tokens(self):
        shown = session(provider=None)
        soon, issuer = int(time.time()) + 3600, "https://example.org"
        user = call(shown, "sign_in_with_tokens", "eve", None, "refresh", soon, issuer)
        self.assertEqual((user.props.uid, user.props.issuer), ("eve", "https://example.org"))
        self.assertIs(shown.props.user, user)
        call(shown, "update_current_user", user)
        call(shown, "sign_out")

    def test_cancelled_before_the_call(self):
        shown = session()
        user = call(shown, "sign_in_anonymously")
        uid = user.props.uid
        for name, arguments in calls(user).items():
            with self.subTest(name):
                cancellable = Gio.Cancellable()
                cancellable.cancel()
                self.assertCancelled(call, shown, name, *arguments, cancellable=cancellable)
                self.assertEqual((shown.props.user.props.uid, shown.props.access_group), (uid, None))

    def test_cancelled_during_the_call(self):
        for name in calls(None):
            with self.subTest(name):
                shown = session()
                user = call(shown, "sign_in_anonymously")
                cancellable = Gio.Cancellable()
                end = begin(shown, name, *calls(user)[name], cancellable=cancellable)
                cancellable.cancel()
                try:
                    end()
                except GLib.Error as error:
                    is_cancelled = error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED)
                    self.assertTrue(is_cancelled or error.matches(SharedAuth.error_quark(), error.code))
                # Whether the call completed or not, the properties match the stored user.
                stored = call(shown, "get_stored_user", shown.props.access_group)
                shown_uid = shown.props.user and shown.props.user.props.uid
                self.assertEqual(stored and stored.props.uid, shown_uid)

    def test_cancelled_reads_return_immediately(self):
        shown = session()
        call(shown, "sign_in_anonymously")
        Keyring.pause()
        try:
            cancellable = Gio.Cancellable()
            end = begin(shown, "get_stored_user", None, cancellable=cancellable)
            self.assertFalse(end.results)
            cancellable.cancel()
            # The keyring is still paused.
            self.assertCancelled(end)
        finally:
            Keyring.resume()
        self.assertEqual(call(shown, "get_stored_user", None).props.uid, shown.props.user.props.uid)

    def test_main_context_never_blocks(self):
        shown = session()
        call(shown, "sign_in_anonymously")
        context = GLib.MainContext.default()
        Keyring.pause()
        try:
            end = begin(shown, "sign_out")
            other = raw_session()
            dropped = raw_session()
            del dropped
            # If an iteration waited for the paused keyring, it would block until the call times out.
            for _ in range(10000):
                context.iteration(False)
                self.assertEqual((other.props.state, shown.props.state), (State.UNKNOWN, State.SIGNED_IN))
            self.assertFalse(end.results)
        finally:
            Keyring.resume()
        self.assertTrue(end())
        wait(lambda: other.props.state == State.SIGNED_OUT)

    def test_session_released_during_calls(self):
        shown, results = raw_session(), []
        gone = weakref.ref(shown)
        for name in ("load", "sign_in_anonymously", "sign_out"):
            finish = f"{name}_finish"

            def done(made, result, finish=finish):
                results.append(getattr(made, finish)(result))

            getattr(shown, f"{name}_async")(None, done)
        del shown
        wait(lambda: len(results) == 3)
        del results[:]
        gc.collect()
        self.assertIsNone(gone())

    def test_two_contexts(self):
        names = {"app_id": "org.example.languages.contexts", "project": f"contexts-{os.getpid()}"}
        provider = SharedAuth.LocalProvider()
        main = session(provider, **names)
        heard, is_ready, is_over = [], threading.Event(), threading.Event()

        def run():
            context = GLib.MainContext.new()
            context.push_thread_default()
            mine = SharedAuth.Session(identity_provider=provider, **names)
            mine.connect("announced", lambda _, user: heard.append((user and user.props.uid, threading.get_ident())))
            wait(lambda: heard, context)
            # A call on the session of the other context; the result arrives in this one.
            results = []
            main.get_stored_user_async(None, None, lambda _, result: results.append(threading.get_ident()))
            wait(lambda: results, context)
            heard.append(results[0])
            is_ready.set()
            wait(lambda: len(heard) == 3, context)
            context.pop_thread_default()
            is_over.set()

        thread = threading.Thread(target=run)
        thread.start()
        is_ready.wait(60)
        here = []
        main.connect("announced", lambda _, user: here.append(threading.get_ident()))
        uid = call(main, "sign_in_anonymously").props.uid
        wait(lambda: here)
        self.assertTrue(is_over.wait(60))
        thread.join()
        self.assertEqual(here, [threading.get_ident()])
        self.assertEqual(heard, [(None, thread.ident), thread.ident, (uid, thread.ident)])

    def test_nested_main_loop_delays_announcements(self):
        shown, seen = session(), []

        def handle(made, user):
            before = made.props.state
            if user:
                # The sign-out completes while this handler runs; its announcement is delivered afterwards.
                call(made, "sign_out")
            seen.append((user and user.props.uid, before, made.props.state))

        shown.connect("announced", handle)
        uid = call(shown, "sign_in_anonymously").props.uid
        wait(lambda: len(seen) == 2)
        self.assertEqual(
            seen, [(uid, State.SIGNED_IN, State.SIGNED_IN), (None, State.SIGNED_OUT, State.SIGNED_OUT)]
        )


if __name__ == "__main__":
    import unittest

    unittest.main()
