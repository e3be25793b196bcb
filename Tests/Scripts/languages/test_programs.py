"""Tests the library in JavaScript, Vala and C: program.js and program.vala print the same results, and program.c those
of the part that prints changes."""

import os
import tempfile
import time

from support import (
    Error, GLib, Keyring, Peer, Running, SharedAuth, TestCase, call, compile_c, compile_vala, fresh_names, session,
)

FOLDER = os.path.dirname(os.path.abspath(__file__))
DOMAIN = GLib.quark_to_string(SharedAuth.error_quark())
ISSUER = "https://example.org"
CANCELLED = "failed g-io-error-quark 19"


class Program(Running):
    """A process of one of the programs."""

    def __init__(self, command, part, names, *arguments, stdin=None, **environment):
        super().__init__(*command, part, names["app_id"], names["project"], *arguments, stdin=stdin, **environment)


class Watching:
    """The tests of the program in one language that prints changes."""

    def test_follows_a_swift_process(self):
        names = fresh_names()
        table = [
            ("sign-in ada x", ["state SIGNED_IN", "announced ada"]),
            ("rename Countess", ["renamed Countess"]),
            ("sign-in bob x", ["announced bob"]),
            ("sign-out", ["state SIGNED_OUT", "announced nobody"]),
            ("sign-in eve x", ["state SIGNED_IN", "announced eve"]),
        ]
        with Peer(**names) as peer, Program(self.command, "watch", names) as program:
            self.assertEqual(program.lines(3), ["state UNKNOWN", "state SIGNED_OUT", "announced nobody"])
            for command, seen in table:
                with self.subTest(command):
                    peer.ask(command)
                    self.assertEqual(program.lines(len(seen)), seen)

    def test_locked_unavailable_and_damaged(self):
        names = fresh_names()
        uid = call(session(**names), "sign_in_anonymously").props.uid
        Keyring.lock()
        try:
            with Program(self.command, "watch", names) as program:
                seen = ["state UNKNOWN", "state LOCKED", f"error {int(Error.KEYRING_LOCKED)}"]
                self.assertEqual(program.lines(3), seen)
                Keyring.unlock()
                self.assertEqual(program.lines(2), ["state SIGNED_IN", f"announced {uid}"])
        finally:
            Keyring.unlock()
        with Program(self.command, "watch", names, DBUS_SESSION_BUS_ADDRESS="unix:path=/nowhere") as program:
            seen = ["state UNKNOWN", "state UNAVAILABLE", f"error {int(Error.KEYRING_UNAVAILABLE)}"]
            self.assertEqual(program.lines(3), seen)
        self.assertGreater(Keyring.damage(names["project"]), 0)
        with Program(self.command, "watch", names) as program:
            seen = ["state UNKNOWN", "state DAMAGED", f"error {int(Error.RECORD_DAMAGED)}"]
            self.assertEqual(program.lines(3), seen)

    def test_first_start_with_a_locked_keyring(self):
        names, group = fresh_names(), "group.org.example.languages"
        other = {**names, "app_id": f"{names['app_id']}.other"}
        uid = call(session(access_group=group, **other), "sign_in_anonymously").props.uid
        Keyring.lock()
        try:
            with Program(self.command, "watch", names, group) as program:
                seen = ["state UNKNOWN", "state LOCKED", f"error {int(Error.KEYRING_LOCKED)}"]
                self.assertEqual(program.lines(3), seen)
                Keyring.unlock()
                # The group does not change, and no one is announced before its user.
                self.assertEqual(program.lines(2), ["state SIGNED_IN", f"announced {uid}"])
        finally:
            Keyring.unlock()


class InEachLanguage(Watching):
    """The tests of the program in one language."""

    # The output for a call with a GCancellable that is cancelled already. Qt's calls create their own.
    cancelled_before = []

    def test_calls_return_users_and_errors(self):
        with Program(self.command, "account", fresh_names()) as program:
            lines, problems = program.rest()
        self.assertEqual(
            lines,
            [
                "loaded null",
                f"failed {DOMAIN} {int(Error.WEAK_PASSWORD)}",
                "created ada@example.org false true",
                "accounts ada@example.org",
                "token 3",
                "stored ada@example.org",
                f"failed {DOMAIN} {int(Error.INVALID_ACCESS_GROUP)}",
                *self.cancelled_before,
                "signed out true null",
                "wrong password true",
            ],
        )
        self.assertEqual(problems, "")

    def test_cancelled_call(self):
        Keyring.pause()
        try:
            with Program(self.command, "cancel", fresh_names()) as program:
                self.assertEqual(program.rest(), ([CANCELLED], ""))
        finally:
            Keyring.resume()

    def test_custom_provider(self):
        with Program(self.command, "provider", fresh_names()) as program:
            lines, problems = program.rest()
        self.assertEqual(
            lines,
            [
                f"failed {DOMAIN} {int(Error.WRONG_PASSWORD)}",
                "signed in ada https://example.org Ada true",
                "token id-1",
                "refresh refresh-1",
                "token id-2",
                "revoked refresh-2",
                # The request that is not completed.
                f"failed {DOMAIN} {int(Error.INTERNAL_ERROR)}",
                "request cancelled",
                CANCELLED,
            ],
        )
        # The second response to the refresh request.
        self.assertEqual(problems.count("SharedAuth-CRITICAL"), 1, problems)

    def assertOneRefresh(self, one_command, other_command):
        """Tests that one of three processes with an expired token requests a new one."""
        names = fresh_names()
        provider, asked = SharedAuth.CustomProvider(issuer=ISSUER), []

        def refresh(_, request):
            asked.append(1)
            request.return_tokens("ada", "id-of-Python", "refresh-1", int(time.time()) + 3600)

        provider.connect("refresh", refresh)
        shown = session(provider, **names)
        with Program(one_command, "refresh", names) as one, Program(other_command, "refresh", names) as other:
            self.assertEqual(one.lines(1) + other.lines(1), ["loaded null", "loaded null"])
            # An expired token.
            call(shown, "sign_in_with_tokens", "ada", "id-0", "refresh-0", int(time.time()) - 10, None)
            token = call(shown, "get_id_token", False)
            answers = [f"{token} {len(asked)}", one.rest()[0][0], other.rest()[0][0]]
        self.assertEqual(sorted(answer[-1] for answer in answers), ["0", "0", "1"], answers)
        self.assertEqual(len({answer.split()[0] for answer in answers}), 1, answers)


class JavaScript(InEachLanguage, TestCase):
    cancelled_before = [CANCELLED]
    command = ["gjs", "-m", f"{FOLDER}/program.js"]


    def test_closed_sessions_are_collected(self):
        rounds = 1000
        with Program(self.command, "close", fresh_names(), str(rounds)) as program:
            seen = [f"failed {DOMAIN} {int(Error.APP_DELETED)}", "state UNAVAILABLE null null", "loaded null"]
            self.assertEqual(program.lines(3), seen)
        # The weak references of GJS keep their objects as long as it waits, so the log is counted.
        with Program(self.command, "close", fresh_names(), str(rounds), G_MESSAGES_DEBUG="SharedAuth") as program:
            finalized = 0
            while finalized < rounds:
                [line] = program.lines(1)
                self.assertTrue(line, "the program ended")
                finalized += line.endswith("a session was finalized")


    def test_wrong_classes_and_options(self):
        with Program(self.command, "misuse", fresh_names()) as program:
            lines, problems = program.rest()
        codes = [
            Error.OPERATION_NOT_ALLOWED, Error.INVALID_APP_IDENTIFIER, Error.INVALID_ACCESS_GROUP,
            Error.OPERATION_NOT_ALLOWED,
        ]
        self.assertEqual(lines, [f"failed {DOMAIN} {int(code)}" for code in codes])
        self.assertEqual(problems.count("SharedAuth-CRITICAL"), 1, problems)

    def test_calls_of_users(self):
        with Program(self.command, "users", fresh_names()) as program:
            lines, problems = program.rest()
        codes = [int(Error.NULL_USER), int(Error.APP_DELETED)]
        failed = [f"failed {DOMAIN} {code}" for code in codes]
        self.assertEqual(lines, ["tokens 2 true", "signed out true true 1", *failed])
        self.assertEqual(problems, "")

    def test_access_tokens_and_late_tokens(self):
        with Program(self.command, "tokens", fresh_names()) as program:
            lines, problems = program.rest()
        self.assertEqual(
            lines,
            [
                "token access-1", "token access-for-read-write", f"failed {DOMAIN} {int(Error.OPERATION_NOT_ALLOWED)}",
                CANCELLED, "revoked refresh-3",
            ],
        )
        self.assertEqual(problems, "")


class Vala(InEachLanguage, TestCase):
    cancelled_before = [CANCELLED]

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.command = [f"{cls.folder.name}/program"]
        compile_vala(f"{FOLDER}/program.vala", cls.command[0])

    def test_one_refresh_among_languages(self):
        self.assertOneRefresh(JavaScript.command, self.command)


class C(Watching, TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.command = [f"{cls.folder.name}/program"]
        compile_c(f"{FOLDER}/program.c", cls.command[0])


if __name__ == "__main__":
    import unittest

    unittest.main()
