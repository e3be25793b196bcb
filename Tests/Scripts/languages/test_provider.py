"""Tests custom identity providers in Python."""

import json
import os
import subprocess
import sys
import time

from support import Error, Gio, GLib, SharedAuth, State, TestCase, begin, call, fresh_names, session, wait

Kind = SharedAuth.RequestKind
HOUR = 3600


def after(seconds):
    return int(time.time()) + seconds


class Server:
    """An identity provider whose responses the tests replace, and the kinds of its requests."""

    def __init__(self, issuer="https://example.org", connected=("sign-in", "refresh", "profile", "revoke")):
        self.provider = SharedAuth.CustomProvider(issuer=issuer)
        self.asked = []
        self.answers = {
            Kind.ANONYMOUS: lambda request: request.return_tokens("guest", "id-1", "refresh-1", after(HOUR)),
            Kind.PASSWORD: self.check,
            Kind.NEW_ACCOUNT: lambda request: request.return_tokens("new", "id-1", "refresh-1", after(HOUR)),
            Kind.REFRESH: lambda request: request.return_tokens("ada", "id-2", "refresh-2", after(HOUR)),
            Kind.PROFILE: lambda request: request.return_profile("ada", "ada@example.org", True, "Ada", None),
            Kind.REVOKE: lambda request: request.return_done(),
        }
        for signal in connected:
            self.provider.connect(signal, self.answer)

    def answer(self, _, request):
        self.asked.append(request.props.kind)
        self.answers[request.props.kind](request)

    def hold_sign_in(self, session, cancellable=None):
        """Starts a sign-in whose request stays without a response. Returns a function that waits for the result of the
        call, and the request."""
        kept = []
        self.answers[Kind.PASSWORD] = kept.append
        end = begin(session, "sign_in_with_password", "ada@example.org", "right", cancellable=cancellable)
        wait(lambda: kept)
        return end, kept.pop()

    @staticmethod
    def check(request):
        if request.props.password == "right":
            request.return_tokens("ada", "id-1", "refresh-1", after(HOUR))
        else:
            request.return_error(Error.WRONG_PASSWORD, "The password is wrong.")


class CustomProvider(TestCase):
    def test_ends_a_session_without_a_profile(self):
        server = Server()
        shown = session(server.provider)
        server.answers[Kind.PROFILE] = lambda request: request.return_error(Error.NETWORK_ERROR, "No profile today.")
        self.assertFails(Error.NETWORK_ERROR, call, shown, "sign_in_with_password", "ada@example.org", "right")
        self.assertEqual(server.asked, [Kind.PASSWORD, Kind.PROFILE, Kind.REVOKE])

    def test_signs_in(self):
        server = Server()
        shown = session(server.provider)
        self.assertFails(Error.WRONG_PASSWORD, call, shown, "sign_in_with_password", "ada@example.org", "wrong")
        user = call(shown, "sign_in_with_password", "ada@example.org", "right")
        properties = user.props
        self.assertEqual(
            (properties.uid, properties.issuer, properties.email, properties.display_name),
            ("ada", "https://example.org", "ada@example.org", "Ada"),
        )
        self.assertEqual(call(shown, "get_id_token", False), "id-1")
        self.assertEqual(call(shown, "get_id_token", True), "id-2")
        call(shown, "sign_out")
        wait(lambda: Kind.REVOKE in server.asked)
        self.assertEqual(
            server.asked, [Kind.PASSWORD, Kind.PASSWORD, Kind.PROFILE, Kind.REFRESH, Kind.REVOKE]
        )

    def test_without_handlers(self):
        server = Server(connected=["sign-in"])
        shown = session(server.provider)
        self.assertEqual(call(shown, "create_user", "new@example.org", "right").props.uid, "new")
        self.assertFails(Error.OPERATION_NOT_ALLOWED, call, shown, "get_id_token", True)
        call(shown, "sign_out")
        without_handlers = session(Server(connected=[]).provider)
        self.assertFails(Error.OPERATION_NOT_ALLOWED, call, without_handlers, "sign_in_anonymously")

    def test_invalid_responses_store_nothing(self):
        rows = [
            lambda request: request.return_tokens("", "id", "refresh", after(HOUR)),
            lambda request: request.return_tokens("ada", None, None, after(HOUR)),
            lambda request: request.return_tokens("ada", "id", "refresh", after(-1)),
            lambda request: request.return_tokens("eve", "id", "refresh", after(HOUR)),
            lambda request: None,
        ]
        server = Server()
        shown = session(server.provider)
        for number, answer in enumerate(rows):
            with self.subTest(number):
                server.answers[Kind.PASSWORD] = answer
                self.assertFails(Error.INTERNAL_ERROR, call, shown, "sign_in_with_password", "ada@example.org", "right")
                self.assertEqual(shown.props.state, State.SIGNED_OUT)
                self.assertIsNone(call(shown, "get_stored_user", None))

    def test_refresh_of_another_user_is_rejected(self):
        server = Server()
        shown = session(server.provider)
        call(shown, "sign_in_with_password", "ada@example.org", "right")
        server.answers[Kind.REFRESH] = lambda request: request.return_tokens("eve", "id-3", "refresh-3", after(HOUR))
        with self.assertRaises(GLib.Error):
            call(shown, "get_id_token", True)
        self.assertEqual(call(shown, "get_id_token", False), "id-1")

    def test_refresh_error_ends_the_session(self):
        server = Server()
        shown = session(server.provider)
        call(shown, "sign_in_with_password", "ada@example.org", "right")
        server.answers[Kind.REFRESH] = lambda request: request.return_error(Error.USER_TOKEN_EXPIRED, "It is over.")
        self.assertFails(Error.USER_TOKEN_EXPIRED, call, shown, "get_id_token", True)
        wait(lambda: shown.props.state == State.SIGNED_OUT)

    def test_late_response_is_revoked(self):
        server, kept = Server(), []
        shown = session(server.provider, identity_timeout=200)
        server.answers[Kind.PASSWORD] = kept.append
        self.assertFails(Error.TIMED_OUT, call, shown, "sign_in_with_password", "ada@example.org", "right")
        # After the time limit.
        kept[0].return_tokens("ada", "id-1", "refresh-1", after(HOUR))
        wait(lambda: Kind.REVOKE in server.asked)
        self.assertEqual(shown.props.state, State.SIGNED_OUT)
        self.assertIsNone(call(shown, "get_stored_user", None))

    def test_cancelled_call_cancels_the_request(self):
        server = Server()
        shown = session(server.provider)
        cancellable = Gio.Cancellable()
        end, request = server.hold_sign_in(shown, cancellable)
        cancellable.cancel()
        self.assertCancelled(end)
        wait(lambda: request.props.cancellable.is_cancelled())
        self.assertEqual(shown.props.state, State.SIGNED_OUT)

    def test_tokens_after_a_cancelled_sign_in_are_revoked(self):
        for kind, name, arguments in [
            (Kind.PASSWORD, "sign_in_with_password", ("ada@example.org", "right")),
            (Kind.NEW_ACCOUNT, "create_user", ("ada@example.org", "right")),
            (Kind.ANONYMOUS, "sign_in_anonymously", ()),
        ]:
            with self.subTest(name):
                server, kept, revoked = Server(), [], []
                shown = session(server.provider)
                server.answers[kind] = kept.append
                server.answers[Kind.REVOKE] = lambda request: revoked.append(request.props.refresh_token)
                cancellable = Gio.Cancellable()
                end = begin(shown, name, *arguments, cancellable=cancellable)
                wait(lambda: kept)
                cancellable.cancel()
                self.assertCancelled(end)
                kept.pop().return_tokens("ada", "id-1", "refresh-1", after(HOUR))
                wait(lambda: revoked)
                self.assertEqual((revoked, server.asked), (["refresh-1"], [kind, Kind.REVOKE]))
                self.assertIsNone(call(shown, "get_stored_user", None))

    def test_tokens_after_close_are_revoked(self):
        server = Server()
        shown = session(server.provider)
        end, request = server.hold_sign_in(shown)
        shown.close()
        self.assertFails(Error.APP_DELETED, end)
        request.return_tokens("ada", "id-1", "refresh-1", after(HOUR))
        wait(lambda: Kind.REVOKE in server.asked)

    def test_late_tokens_of_a_stored_session_are_not_revoked(self):
        server = Server()
        shown = session(server.provider)
        call(shown, "sign_in_with_password", "ada@example.org", "right")
        cancellable = Gio.Cancellable()
        end, request = server.hold_sign_in(shown, cancellable)
        cancellable.cancel()
        self.assertCancelled(end)
        # The server returns the session that it has.
        request.return_tokens("ada", "id-1", "refresh-1", after(HOUR))
        self.assertEqual(call(shown, "get_id_token", True), "id-2")
        self.assertNotIn(Kind.REVOKE, server.asked)

    def test_access_tokens(self):
        server, asked = Server(), []
        shown = session(server.provider)

        def sign_in(request):
            asked.append(request.props.scopes)
            request.add_access_token("access-1", None, after(HOUR))
            request.return_tokens("ada", None, "refresh-1", 0)

        def refresh(request):
            asked.append(request.props.scopes)
            scopes = request.props.scopes or []
            request.add_access_token(f"access-for-{'-'.join(scopes)}", None, after(HOUR))
            request.return_tokens("ada", None, "refresh-2", 0)

        server.answers[Kind.PASSWORD], server.answers[Kind.REFRESH] = sign_in, refresh
        call(shown, "sign_in_with_password", "ada@example.org", "right")
        self.assertEqual(call(shown, "get_access_token", None, False), "access-1")
        self.assertEqual(call(shown, "get_access_token", ["write", "read"], False), "access-for-read-write")
        self.assertEqual(call(shown, "get_access_token", ["read", "write"], False), "access-for-read-write")
        self.assertEqual(call(shown, "get_access_token", None, True), "access-for-")
        self.assertEqual([one or [] for one in asked], [[], ["read", "write"], []])
        self.assertFails(Error.OPERATION_NOT_ALLOWED, call, shown, "get_id_token", False)

        # A token with fewer scopes than were requested.
        server.answers[Kind.REFRESH] = lambda request: (
            request.add_access_token("access-less", ["read"], after(HOUR)),
            request.return_tokens("ada", None, "refresh-3", 0),
        )
        self.assertFails(Error.OPERATION_NOT_ALLOWED, call, shown, "get_access_token", ["read", "admin"], False)

    def test_an_id_token_and_an_access_token(self):
        server = Server()
        shown = session(server.provider)

        def sign_in(request):
            request.add_access_token("access-1", ["read"], GLib.MAXINT64)
            request.return_tokens("ada", "id-1", "refresh-1", after(HOUR))

        server.answers[Kind.PASSWORD] = sign_in
        call(shown, "sign_in_with_password", "ada@example.org", "right")
        self.assertEqual(call(shown, "get_id_token", False), "id-1")
        self.assertEqual(call(shown, "get_access_token", ["read"], False), "access-1")

    def test_an_expired_access_token_is_refused(self):
        server = Server()
        shown = session(server.provider)
        server.answers[Kind.PASSWORD] = lambda request: (
            request.add_access_token("access-1", None, after(-1)),
            request.return_tokens("ada", "id-1", "refresh-1", after(HOUR)),
        )
        self.assertFails(Error.INTERNAL_ERROR, call, shown, "sign_in_with_password", "ada@example.org", "right")

    def test_wrong_access_tokens_log_criticals(self):
        program = (
            "from test_provider import *\n"
            "server = Server()\n"
            "def sign_in(request):\n"
            "    request.add_access_token('', None, after(HOUR))\n"
            "    request.add_access_token('one', [], after(HOUR))\n"
            "    request.add_access_token('one', ['read write'], after(HOUR))\n"
            "    request.return_tokens('ada', 'id-1', 'refresh-1', after(HOUR))\n"
            "    request.add_access_token('late', None, after(HOUR))\n"
            "server.answers[Kind.PASSWORD] = sign_in\n"
            "server.answers[Kind.PROFILE] = lambda request: (\n"
            "    request.add_access_token('one', None, after(HOUR)),\n"
            "    request.return_profile('ada', None, False, None, None))\n"
            "SharedAuth.Request().add_access_token('one', None, after(HOUR))\n"
            "shown = session(server.provider)\n"
            "call(shown, 'sign_in_with_password', 'a', 'b')\n"
            "try:\n"
            "    call(shown, 'get_access_token', None, False)\n"
            "except GLib.Error as error:\n"
            "    assert error.matches(SharedAuth.error_quark(), Error.OPERATION_NOT_ALLOWED), error\n"
        )
        done = subprocess.run([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("SharedAuth-CRITICAL"), 6, done.stderr)

    def test_cancelled_sign_out_reports_that_the_session_was_not_revoked(self):
        server, kept = Server(), []
        shown = session(server.provider)
        call(shown, "sign_in_with_password", "ada@example.org", "right")
        server.answers[Kind.REVOKE] = kept.append
        cancellable = Gio.Cancellable()
        end = begin(shown, "sign_out", cancellable=cancellable)
        wait(lambda: kept)
        cancellable.cancel()
        self.assertFails(Error.SESSION_NOT_REVOKED, end)
        self.assertEqual(shown.props.state, State.SIGNED_OUT)

    def test_repeated_and_wrong_responses_log_criticals(self):
        program = (
            "from test_provider import *\n"
            "server = Server()\n"
            "def twice(request):\n"
            "    request.return_tokens('ada', 'id-1', 'refresh-1', after(HOUR))\n"
            "    request.return_tokens('eve', 'id-9', 'refresh-9', after(HOUR))\n"
            "    request.return_error(Error.WRONG_PASSWORD, 'no')\n"
            "server.answers[Kind.PASSWORD] = twice\n"
            "shown = session(server.provider)\n"
            "assert call(shown, 'sign_in_with_password', 'a', 'b').props.uid == 'ada'\n"
            "server.answers[Kind.REFRESH] = lambda request: request.return_profile('ada', None, False, None, None)\n"
            "try:\n"
            "    call(shown, 'get_id_token', True)\n"
            "except GLib.Error as error:\n"
            "    assert error.matches(SharedAuth.error_quark(), Error.INTERNAL_ERROR), error\n"
            "assert call(shown, 'get_id_token', False) == 'id-1'\n"
        )
        done = subprocess.run([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("SharedAuth-CRITICAL"), 3, done.stderr)

    def test_a_token_that_does_not_expire(self):
        names, server = fresh_names(), Server()
        shown = session(server.provider, **names)
        user = call(shown, "sign_in_with_tokens", "ada", "opaque", None, GLib.MAXINT64, None)
        self.assertIsNone(user.props.display_name)
        call(shown, "reload")
        self.assertEqual(user.props.display_name, "Ada")
        program = (
            "import json, sys\n"
            "from support import *\n"
            "shown = session(None, **json.loads(sys.argv[1]))\n"
            "print(shown.props.user.props.display_name, call(shown, 'get_id_token', False))\n"
        )
        seen = subprocess.run([sys.executable, "-c", program, json.dumps(names)], stdout=subprocess.PIPE, text=True)
        self.assertEqual(seen.stdout, "Ada opaque\n")
        call(shown, "sign_out")
        self.assertEqual(server.asked, [Kind.PROFILE, Kind.REVOKE])

    def test_a_session_that_is_not_renewed(self):
        server, changes = Server(), []
        shown = session(server.provider)
        user = call(shown, "sign_in_with_tokens", "ada", "id-0", "refresh-0", after(-10), None)
        self.assertIsNone(user.props.session_failure)
        user.connect("notify::session-failure", lambda user, _: changes.append(user.props.session_failure))
        server.answers[Kind.REFRESH] = lambda request: request.return_error(
            Error.OPERATION_NOT_ALLOWED, "The app was removed.")
        for _ in range(2):
            self.assertFails(Error.OPERATION_NOT_ALLOWED, call, shown, "get_id_token", False)
        self.assertEqual(server.asked.count(Kind.REFRESH), 1)
        wait(lambda: changes)
        failure = user.props.session_failure
        self.assertTrue(failure.matches(SharedAuth.error_quark(), Error.REQUIRES_RECENT_LOGIN), failure)
        self.assertIn("The app was removed.", failure.message)
        self.assertIs(shown.props.user, user)
        call(shown, "sign_in_with_tokens", "ada", "id-1", "refresh-1", after(HOUR), None)
        wait(lambda: shown.props.user.props.session_failure is None)
        self.assertEqual(call(shown, "get_id_token", False), "id-1")

    def test_one_refresh_among_processes(self):
        names = fresh_names()
        shown = session(Server().provider, **names)
        # The tokens have expired, so each process needs new ones, and one of them sends the request.
        call(shown, "sign_in_with_tokens", "ada", "id-0", "refresh-0", after(-10), None)
        program = (
            "import json, sys\n"
            "from test_provider import *\n"
            "server = Server()\n"
            "server.answers[Kind.REFRESH] = lambda request: request.return_tokens(\n"
            "    'ada', f'id-{os.getpid()}', 'refresh-1', after(HOUR))\n"
            "shown = session(server.provider, **json.loads(sys.argv[1]))\n"
            "print('ready', flush=True)\n"
            "sys.stdin.readline()\n"
            "print(call(shown, 'get_id_token', False), server.asked.count(Kind.REFRESH))\n"
        )
        command = [sys.executable, "-c", program, json.dumps(names)]
        processes = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(3)
        ]
        for process in processes:
            self.assertEqual(process.stdout.readline(), "ready\n")
        for process in processes:
            process.stdin.write("go\n")
            process.stdin.flush()
        answers = [process.communicate()[0].split() for process in processes]
        self.assertEqual([process.returncode for process in processes], [0, 0, 0])
        asker = next(process.pid for process, (_, asked) in zip(processes, answers) if asked == "1")
        self.assertEqual(sorted(asked for _, asked in answers), ["0", "0", "1"])
        self.assertEqual({token for token, _ in answers}, {f"id-{asker}"})
        self.assertEqual(call(shown, "get_id_token", False), f"id-{asker}")


if __name__ == "__main__":
    import unittest

    unittest.main()
