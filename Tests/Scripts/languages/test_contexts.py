"""Tests in which main context, and so on which thread, a custom identity provider gets its requests."""

import threading

from support import Gio, GLib, SharedAuth, TestCase, begin, call, fresh_names, raw_session, session, wait
from test_provider import HOUR, Kind, Server, after


class Worker:
    """A thread with a main context of its own, and a session that was created there."""

    def __init__(self, provider, **names):
        self.context, self.work, self.results = GLib.MainContext.new(), [], []
        is_ready, self.is_over = threading.Event(), False

        def run():
            self.context.push_thread_default()
            self.session = raw_session(provider, **names)
            wait(lambda: self.session.props.state != SharedAuth.State.UNKNOWN, self.context)
            is_ready.set()
            wait(lambda: self.is_over, self.context)
            self.context.pop_thread_default()

        self.thread = threading.Thread(target=run)
        self.thread.start()
        is_ready.wait(60)

    def invoke(self, function):
        source = GLib.Idle()
        source.set_callback(lambda *_: function())
        source.attach(self.context)

    def call(self, name, *arguments):
        """Makes an async call on the thread, and returns a list that gets the result."""
        results = []

        def finish(made, result):
            results.append(getattr(made, f"{name}_finish")(result))
            GLib.MainContext.default().wakeup()

        self.invoke(lambda: getattr(self.session, f"{name}_async")(*arguments, None, finish))
        return results

    def end(self):
        """Ends the thread. The session remains."""
        def stop():
            self.is_over = True

        self.invoke(stop)
        self.thread.join()


class Threads(Server):
    """A server that notes the thread of each request."""

    def __init__(self):
        super().__init__()
        self.threads = []

    def answer(self, provider, request):
        self.threads.append((request.props.kind, threading.get_ident()))
        super().answer(provider, request)


class Contexts(TestCase):
    def setUp(self):
        self.names, self.server = fresh_names(), Threads()
        self.here = threading.get_ident()

    def test_each_session_gets_the_requests_of_its_own_calls(self):
        worker = Worker(self.server.provider, **self.names)
        there = worker.thread.ident
        shown = session(self.server.provider, **self.names)
        call(shown, "sign_in_with_password", "ada@example.org", "right")
        call(shown, "get_id_token", True)
        self.assertEqual({thread for _, thread in self.server.threads}, {self.here})
        del self.server.threads[:]
        results = worker.call("get_id_token", True)
        wait(lambda: results)
        self.assertEqual((results, self.server.threads), (["id-2"], [(Kind.REFRESH, there)]))
        worker.end()

    def test_requests_go_on_after_the_thread_of_the_first_session_has_ended(self):
        worker = Worker(self.server.provider, identity_timeout=20000, **self.names)
        shown = session(self.server.provider, identity_timeout=20000, **self.names)
        worker.end()
        call(shown, "sign_in_with_password", "ada@example.org", "right")
        self.assertEqual(call(shown, "get_id_token", True), "id-2")
        self.assertEqual({thread for _, thread in self.server.threads}, {self.here})
        worker.session.close()
        call(shown, "sign_out")
        self.assertEqual(self.server.asked[-1], Kind.REVOKE)

    def test_a_request_that_no_call_needs_finds_a_session_whose_thread_runs(self):
        worker = Worker(self.server.provider, **self.names)
        shown = session(self.server.provider, **self.names)
        worker.end()
        cancellable = Gio.Cancellable()
        end, request = self.server.hold_sign_in(shown, cancellable)
        cancellable.cancel()
        self.assertCancelled(end)
        # The tokens come too late, and are revoked without a call.
        request.return_tokens("ada", "id-1", "refresh-1", after(HOUR))
        wait(lambda: Kind.REVOKE in self.server.asked)
        self.assertEqual(self.server.threads, [(Kind.PASSWORD, self.here), (Kind.REVOKE, self.here)])


if __name__ == "__main__":
    import unittest

    unittest.main()
