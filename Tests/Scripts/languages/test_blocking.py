"""Tests the calls that block their thread: with and without a running main loop, and on other threads."""

import subprocess
import tempfile
import threading

from support import (
    Error, Gio, GLib, Keyring, SharedAuth, State, TestCase, call, compile_vala, fresh_names, raw_session, session, wait
)
from test_provider import HOUR, Kind, Server, after

CONTEXT = GLib.MainContext.default()

def on_thread(work):
    """Runs work on another thread, without a main loop here, and returns what it returns or raises."""
    return ended(started(work))


def beside_a_main_loop(work):
    """Runs work on another thread while a main loop runs here, and returns what it returns or raises."""
    loop, running = GLib.MainLoop(), []

    def run():
        try:
            return work()
        finally:
            loop.quit()

    # The loop runs when the thread starts.
    GLib.idle_add(lambda: running.append(started(run)))
    loop.run()
    return ended(running[0])


def started(work):
    outcome = {}

    def run():
        try:
            outcome["value"] = work()
        except Exception as error:
            outcome["error"] = error

    thread = threading.Thread(target=run)
    thread.start()
    return thread, outcome


def ended(running):
    thread, outcome = running
    thread.join(60)
    if thread.is_alive():
        raise AssertionError("the thread did not end")
    if "error" in outcome:
        raise outcome["error"]
    return outcome["value"]


class Blocking(TestCase):
    def test_without_a_main_loop(self):
        shown, heard = raw_session(), []
        shown.connect("announced", lambda _, user: heard.append(user and user.props.uid))
        shown.connect("notify::state", lambda made, _: heard.append(made.props.state))
        self.assertIsNone(shown.load_sync(None))
        # The changes are there, and have notified.
        self.assertEqual((shown.props.state, heard), (State.SIGNED_OUT, [State.SIGNED_OUT, None]))
        uid = call(shown, "sign_in_anonymously").props.uid
        self.assertEqual(shown.load_sync(None).props.uid, uid)
        self.assertIs(shown.load_sync(None), shown.props.user)
        user = shown.props.user
        self.assertEqual(shown.get_id_token_sync(False, None).count("."), 2)
        self.assertEqual(user.get_id_token_sync(False, None), shown.get_id_token_sync(False, None))
        self.assertNotEqual(user.get_id_token_sync(True, None), "")
        del heard[:]
        self.assertTrue(shown.sign_out_sync(None))
        self.assertEqual((shown.props.state, shown.props.user), (State.SIGNED_OUT, None))
        self.assertEqual(heard, [State.SIGNED_OUT, None])

    def test_within_a_main_loop(self):
        loop, shown, seen = GLib.MainLoop(), raw_session(), []

        def work():
            seen.append(shown.load_sync(None))
            seen.append(shown.props.state)
            loop.quit()

        GLib.idle_add(work)
        loop.run()
        self.assertEqual(seen, [None, State.SIGNED_OUT])

    def test_in_a_handler(self):
        shown, seen = session(), []

        def announced(made, user):
            if user:
                seen.append(made.get_id_token_sync(False, None).count("."))
                made.sign_out_sync(None)
                # The handler of one change does not see the next one.
                seen.append(made.props.state)

        shown.connect("announced", announced)
        call(shown, "sign_in_anonymously")
        wait(lambda: shown.props.state == State.SIGNED_OUT)
        self.assertEqual(seen, [2, State.SIGNED_IN])

    def test_on_a_thread_while_this_one_runs_the_main_loop(self):
        shown, heard = session(), []
        call(shown, "sign_in_anonymously")
        shown.connect("announced", lambda *_: heard.append(threading.get_ident()))
        made = beside_a_main_loop(lambda: (shown.get_id_token_sync(True, None).count("."), shown.sign_out_sync(None)))
        self.assertEqual(made, (2, True))
        wait(lambda: heard)
        self.assertEqual(heard, [threading.get_ident()])

    def test_on_a_thread_while_no_main_loop_runs(self):
        shown, heard = raw_session(), []
        shown.connect("notify::state", lambda *_: heard.append(threading.get_ident()))

        def work():
            user, state = shown.load_sync(None), shown.props.state
            return user, state, threading.get_ident()

        user, state, thread = on_thread(work)
        self.assertEqual((user, state, heard), (None, State.SIGNED_OUT, [thread]))

    def test_on_a_thread_with_a_context_of_its_own(self):
        def work():
            context = GLib.MainContext.new()
            context.push_thread_default()
            try:
                made = raw_session()
                return made.load_sync(None), made.props.state
            finally:
                context.pop_thread_default()

        self.assertEqual(on_thread(work), (None, State.SIGNED_OUT))

    def test_errors(self):
        shown = session()
        self.assertFails(Error.NULL_USER, shown.get_id_token_sync, False, None)
        self.assertFails(Error.NULL_USER, shown.get_access_token_sync, None, False, None)
        self.assertFails(Error.NULL_USER, SharedAuth.User().get_id_token_sync, False, None)
        self.assertFails(Error.NULL_USER, SharedAuth.User().get_access_token_sync, ["feeds"], False, None)
        self.assertFails(Error.NULL_USER, SharedAuth.User().sign_out_sync, None)
        self.assertTrue(shown.sign_out_sync(None))
        user = call(shown, "sign_in_anonymously")
        self.assertFails(Error.OPERATION_NOT_ALLOWED, shown.get_access_token_sync, ["feeds"], False, None)
        self.assertFails(Error.OPERATION_NOT_ALLOWED, user.get_access_token_sync, [], False, None)
        shown.close()
        for one in (shown, user):
            self.assertFails(Error.APP_DELETED, one.get_id_token_sync, False, None)
            self.assertFails(Error.APP_DELETED, one.get_access_token_sync, None, False, None)
            self.assertFails(Error.APP_DELETED, one.sign_out_sync, None)
        self.assertFails(Error.APP_DELETED, shown.load_sync, None)

    def test_user_of_another_session(self):
        names = fresh_names()
        first, second = session(keeps_other_users=True, **names), session(keeps_other_users=True, **names)
        user = call(first, "sign_in_anonymously")
        wait(lambda: second.props.user)
        other = second.props.user
        self.assertTrue(other.sign_out_sync(None))
        wait(lambda: not first.props.user)
        self.assertFails(Error.NULL_USER, second.get_id_token_sync, False, None)
        self.assertIsNotNone(user)

    def test_cancelled_before(self):
        shown = session()
        user = call(shown, "sign_in_anonymously")
        cancellable = Gio.Cancellable()
        cancellable.cancel()
        for one in (shown, user):
            self.assertCancelled(one.get_id_token_sync, False, cancellable)
            self.assertCancelled(one.get_access_token_sync, None, False, cancellable)
            self.assertCancelled(one.sign_out_sync, cancellable)
        self.assertCancelled(shown.load_sync, cancellable)
        self.assertEqual(shown.load_sync(None), user)

    def test_cancelled_meanwhile(self):
        server, cancellable = Server(), Gio.Cancellable()
        server.answers[Kind.REFRESH] = lambda request: cancellable.cancel()
        shown = session(server.provider)
        call(shown, "sign_in_with_password", "ada@example.org", "right")
        self.assertCancelled(shown.get_id_token_sync, True, cancellable)

    def test_locked_keyring(self):
        names = fresh_names()
        call(session(**names), "sign_in_anonymously")
        Keyring.lock()
        try:
            shown = raw_session(**names)
            self.assertFails(Error.KEYRING_LOCKED, shown.load_sync, None)
            self.assertEqual(shown.props.state, State.LOCKED)
        finally:
            Keyring.unlock()


class Requests(TestCase):
    """Where a custom provider's requests are emitted while a call blocks."""

    def setUp(self):
        self.server, self.threads = Server(), []
        self.shown = session(self.server.provider, identity_timeout=15000)
        call(self.shown, "sign_in_with_password", "ada@example.org", "right")
        self.server.provider.connect("refresh", lambda *_: self.threads.append(threading.get_ident()))

    def test_on_this_thread(self):
        self.assertTrue(self.shown.get_id_token_sync(True, None))
        self.assertTrue(self.shown.sign_out_sync(None))
        self.assertEqual(self.threads, [threading.get_ident()])
        self.assertIn(Kind.REVOKE, self.server.asked)

    @staticmethod
    def drain():
        while CONTEXT.iteration(False):
            pass

    @staticmethod
    def wait_for_an_emission():
        """Waits until the main context has work, without running it."""
        while not CONTEXT.pending():
            pass

    def test_of_a_call_that_is_in_progress(self):
        results = []
        self.shown.get_id_token_async(True, None, lambda made, result: results.append(made.get_id_token_finish(result)))
        self.assertTrue(self.shown.get_id_token_sync(True, None))
        wait(lambda: results)

    def test_on_the_thread_of_the_main_loop(self):
        self.assertTrue(beside_a_main_loop(lambda: self.shown.get_id_token_sync(True, None)))
        self.assertEqual(self.threads, [threading.get_ident()])

    def test_on_other_threads_without_a_main_loop(self):
        running = [started(lambda: self.shown.get_id_token_sync(True, None)) for _ in range(4)]
        for one in running:
            self.assertTrue(ended(one))
        self.assertTrue(self.threads)
        self.assertNotIn(threading.get_ident(), self.threads)

    def test_after_the_call_of_another_thread(self):
        server, running = Server(), []
        other = session(server.provider, identity_timeout=15000)
        call(other, "sign_in_with_password", "ada@example.org", "right")

        def refresh(request):
            # On the first thread, while a call of the second one waits for the context that the first one has.
            self.drain()
            running.append(started(lambda: other.get_id_token_sync(True, None)))
            self.wait_for_an_emission()
            request.return_tokens("ada", "id-2", "refresh-2", after(HOUR))

        self.server.answers[Kind.REFRESH] = refresh
        self.assertTrue(on_thread(lambda: self.shown.get_id_token_sync(True, None)))
        self.assertTrue(ended(running[0]))

class Languages(TestCase):
    """Programs without a main loop, which print the user, a result of a call, and the state."""

    JAVASCRIPT = """
        imports.gi.versions.SharedAuth = '1';
        const {SharedAuth} = imports.gi;
        const [app_id, project] = ARGV;
        const session = new SharedAuth.Session({app_id, project, identity_provider: new SharedAuth.LocalProvider()});
        print(session.load_sync(null).uid);
        print(session.get_id_token_sync(true, null).split('.').length, session.user.get_id_token_sync(false, null) != '');
        print(session.sign_out_sync(null), session.state == SharedAuth.State.SIGNED_OUT);
        try {
            session.get_id_token_sync(false, null);
        } catch (error) {
            print(error.code == SharedAuth.Error.NULL_USER);
        }
    """
    VALA = """
        int main (string[] arguments) {
            var session = (SharedAuth.Session) Object.new (
                typeof (SharedAuth.Session), "app-id", arguments[1], "project", arguments[2],
                "identity-provider", new SharedAuth.LocalProvider ()
            );
            try {
                print ("%s\\n", session.load_sync ().uid);
                var parts = session.get_id_token_sync (true).split (".");
                print ("%d %s\\n", parts.length, (session.user.get_id_token_sync (false) != "").to_string ());
                var is_done = session.sign_out_sync ();
                print ("%s %s\\n", is_done.to_string (), (session.state == SharedAuth.State.SIGNED_OUT).to_string ());
                session.get_id_token_sync (false);
            } catch (Error error) {
                print ("%s\\n", (error.code == SharedAuth.Error.NULL_USER).to_string ());
            }
            return 0;
        }
    """

    def check(self, *command):
        names = fresh_names()
        uid = call(session(**names), "sign_in_anonymously").props.uid
        done = subprocess.run(
            [*command, names["app_id"], names["project"]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            timeout=60,
        )
        self.assertEqual((done.stdout, done.stderr), (f"{uid}\n3 true\ntrue true\ntrue\n", ""))

    def test_javascript(self):
        self.check("gjs", "-c", self.JAVASCRIPT)

    def test_vala(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/blocking.vala", "w") as file:
                file.write(self.VALA)
            compile_vala(f"{folder}/blocking.vala", f"{folder}/blocking")
            self.check(f"{folder}/blocking")


if __name__ == "__main__":
    import unittest

    unittest.main()
