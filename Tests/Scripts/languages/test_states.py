"""Tests states and announcements, with a Swift process on the same slot."""

import gc
import os
import subprocess
import sys

from support import (
    Error, Keyring, Peer, SharedAuth, State, TestCase, call, fresh_names, raw_session, session, wait
)


class Record:
    """Records the properties that the handlers of a session see, at each notification and announcement."""

    def __init__(self, watched):
        self.session = watched
        self.rows = []
        self.announced = []
        for name in ("state", "user", "access-group", "error"):
            watched.connect(f"notify::{name}", lambda _, parameter: self.rows.append((parameter.name, self.seen())))
        watched.connect("announced", self.hear)

    def seen(self):
        properties = self.session.props
        uids = [account.props.uid for account in properties.accounts]
        return (properties.state, properties.user and properties.user.props.uid, properties.access_group, tuple(uids))

    def hear(self, _, user):
        self.rows.append(("announced", self.seen()))
        self.announced.append(user and user.props.uid)


class States(TestCase):
    def test_follows_a_swift_process(self):
        names = fresh_names()
        shown = raw_session(**names)
        record = Record(shown)
        self.assertEqual((shown.props.state, shown.props.user, shown.props.error), (State.UNKNOWN, None, None))
        wait(lambda: record.announced)
        with Peer(**names) as peer:
            # The peer's command; the expected state, uid and announcements so far.
            table = [
                ("sign-in ada x", State.SIGNED_IN, "ada", [None, "ada"]),
                ("rename Countess", State.SIGNED_IN, "ada", [None, "ada"]),
                ("refresh", State.SIGNED_IN, "ada", [None, "ada"]),
                ("sign-in bob x", State.SIGNED_IN, "bob", [None, "ada", "bob"]),
                ("sign-out", State.SIGNED_OUT, None, [None, "ada", "bob", None]),
                ("sign-in ada x", State.SIGNED_IN, "ada", [None, "ada", "bob", None, "ada"]),
            ]
            for command, state, uid, announced in table:
                with self.subTest(command):
                    peer.ask(command)
                    name = "Countess" if command.startswith("rename") else None

                    def is_shown():
                        user = shown.props.user
                        return (user and user.props.uid) == uid and (not name or user.props.display_name == name)

                    wait(is_shown)
                    self.assertEqual((shown.props.state, record.announced), (state, announced))
                    self.assertEqual([user.props.uid for user in shown.props.accounts], [uid] if uid else [])
            self.assertEqual(call(shown, "get_stored_user", None).props.uid, "ada")
            call(shown, "sign_out")
            self.assertIsNone(peer.ask("stored -").get("uid"))

    def test_properties_change_together(self):
        names = fresh_names()
        shown = session(**names)
        record = Record(shown)
        with Peer(**names) as peer:
            for number in range(5):
                peer.ask(f"sign-in user{number} x")
                peer.ask("sign-out")
            peer.ask("sign-in last x")
        wait(lambda: record.announced[-1:] == ["last"])
        # All handlers between two announcements see the values of the second.
        group = []
        for name, seen in record.rows:
            group.append(seen)
            if name == "announced":
                self.assertEqual(set(group), {seen})
                self.assertEqual(seen[0] == State.SIGNED_IN, seen[1] is not None)
                self.assertEqual(seen[3], (seen[1],) if seen[1] else ())
                group = []
        self.assertEqual(group, [])
        for one, other in zip(record.announced, record.announced[1:]):
            self.assertNotEqual(one, other)

    def test_one_account_is_one_object(self):
        names = fresh_names()
        shown = session(**names)
        with Peer(**names) as peer:
            peer.ask("sign-in ada x")
            wait(lambda: shown.props.user)
            user, heard = shown.props.user, []
            user.connect("notify", lambda _, parameter: heard.append(parameter.name))
            peer.ask("rename Countess")
            wait(lambda: heard)
            self.assertEqual((heard, user.props.display_name), (["display-name"], "Countess"))
            self.assertIs(shown.props.user, user)
            self.assertIs(shown.props.accounts[0], user)

    def test_sessions_share_the_access_group(self):
        names = fresh_names()
        provider = SharedAuth.LocalProvider()
        one, other = session(provider, **names), session(provider, **names)
        call(one, "use_access_group", "group.org.example.languages")
        wait(lambda: other.props.access_group)
        self.assertEqual(other.props.access_group, "group.org.example.languages")
        user = call(one, "sign_in_anonymously")
        wait(lambda: other.props.user)
        self.assertEqual(other.props.user.props.uid, user.props.uid)
        call(other, "migrate", None, SharedAuth.MigrationPolicy.FAIL)
        wait(lambda: one.props.access_group is None)
        self.assertIs(one.props.user, user)

    def test_keeps_other_users(self):
        shown = session(keeps_other_users=True)
        first = call(shown, "sign_in_anonymously")
        second = call(shown, "create_user", "ada@example.org", "correct horse")
        self.assertEqual({user.props.uid for user in shown.props.accounts}, {first.props.uid, second.props.uid})
        call(shown, "switch_account", first)
        self.assertIs(shown.props.user, first)

    def test_locked_and_unlocked(self):
        names = fresh_names()
        user = call(session(**names), "sign_in_anonymously")
        uid = user.props.uid
        del user
        Keyring.lock()
        try:
            shown = session(provider=None, **names)
            self.assertEqual((shown.props.state, shown.props.user), (State.LOCKED, None), shown.props.error)
            self.assertTrue(shown.props.error.matches(SharedAuth.error_quark(), Error.KEYRING_LOCKED))
            self.assertIn("call unlock()", shown.props.error.message)
            for name in ("load", "get_id_token", "sign_out"):
                arguments = (False,) if name == "get_id_token" else ()
                self.assertFails(Error.KEYRING_LOCKED, call, shown, name, *arguments)
            # No program is running that could show the keyring's prompt.
            self.assertFails(Error.PROMPT_DISMISSED, call, shown, "unlock")
        finally:
            Keyring.unlock()
        wait(lambda: shown.props.state == State.SIGNED_IN)
        self.assertEqual((shown.props.user.props.uid, shown.props.error), (uid, None))

    def test_first_start_with_a_locked_keyring(self):
        names, group = fresh_names(), "group.org.example.languages"
        other = {**names, "app_id": f"{names['app_id']}.other"}
        uid = call(session(access_group=group, **other), "sign_in_anonymously").props.uid
        Keyring.lock()
        try:
            shown = raw_session(access_group=group, **names)
            record = Record(shown)
            self.assertEqual(shown.props.access_group, group)
            wait(lambda: shown.props.state == State.LOCKED)
        finally:
            Keyring.unlock()
        wait(lambda: record.announced)
        self.assertEqual(record.announced, [uid])
        self.assertEqual({(name, seen[2]) for name, seen in record.rows if name == "access-group"}, set())
        self.assertEqual({seen[2] for _, seen in record.rows}, {group})
        self.assertNotIn(State.SIGNED_OUT, {seen[0] for _, seen in record.rows})

    def test_first_start_announces_nobody_but_the_user_of_the_group(self):
        names, group = fresh_names(), "group.org.example.languages"
        other = {**names, "app_id": f"{names['app_id']}.other"}
        uid = call(session(access_group=group, **other), "sign_in_anonymously").props.uid
        shown = raw_session(access_group=group, **names)
        record = Record(shown)
        wait(lambda: record.announced)
        self.assertEqual(record.announced, [uid])
        self.assertEqual({seen[0] for _, seen in record.rows}, {State.SIGNED_IN})

    def test_first_start_with_a_keyring_that_comes_later(self):
        names, group = fresh_names(), "group.org.example.languages"
        other = {**names, "app_id": f"{names['app_id']}.other"}
        uid = call(session(access_group=group, **other), "sign_in_anonymously").props.uid
        Keyring.pause()
        try:
            shown = raw_session(access_group=group, timeout=500, **names)
            record = Record(shown)
            wait(lambda: shown.props.state == State.UNAVAILABLE)
        finally:
            Keyring.resume()
        wait(lambda: record.announced)
        self.assertEqual((record.announced, shown.props.access_group), ([uid], group))
        self.assertNotIn(State.SIGNED_OUT, {seen[0] for _, seen in record.rows})

    def test_user_of_the_own_slot(self):
        group = "group.org.example.languages"
        policies = SharedAuth.OwnUserPolicy
        # The policy; whether the own user is shown, and whether that user stays in the own slot.
        for policy, is_shown, stays in [
            (None, False, False),
            (policies.CLEAR, False, False),
            (policies.KEEP, False, True),
            (policies.MIGRATE, True, False),
        ]:
            with self.subTest(policy):
                names = fresh_names()
                uid = call(session(**names), "sign_in_anonymously").props.uid
                gc.collect()
                options = {} if policy is None else {"own_user_policy": policy}
                shown = session(access_group=group, **names, **options)
                self.assertEqual(shown.props.user and shown.props.user.props.uid, uid if is_shown else None)
                self.assertEqual(shown.props.own_user_policy, policy or policies.CLEAR)
                own = call(shown, "get_stored_user", None)
                self.assertEqual(own and own.props.uid, uid if stays else None)

    def test_the_group_of_the_session_takes_precedence(self):
        names = fresh_names()
        chosen, option = "group.org.example.languages.chosen", "group.org.example.languages"
        first = session(**names)
        call(first, "use_access_group", chosen)
        del first
        gc.collect()
        shown = session(access_group=option, **names)
        self.assertEqual(shown.props.access_group, option)
        call(shown, "use_access_group", chosen)
        self.assertEqual(shown.props.access_group, chosen)
        call(shown, "use_access_group", None)
        self.assertIsNone(shown.props.access_group)

    def test_locked_while_signed_in(self):
        shown = session(**fresh_names())
        user = call(shown, "sign_in_anonymously")
        heard = []
        shown.connect("notify::save-error", lambda *_: heard.append(shown.props.save_error))
        Keyring.lock()
        try:
            wait(lambda: heard)
            self.assertTrue(heard[0].matches(SharedAuth.error_quark(), Error.KEYRING_LOCKED))
            self.assertEqual((shown.props.state, shown.props.user), (State.SIGNED_IN, user))
            self.assertFails(Error.KEYRING_LOCKED, call, shown, "sign_in_with_password", "ada@example.org", "right")
        finally:
            Keyring.unlock()
        wait(lambda: shown.props.save_error is None)
        self.assertIs(shown.props.user, user)

    def test_damaged(self):
        names = fresh_names()
        call(session(**names), "sign_in_anonymously")
        self.assertGreater(Keyring.damage(names["project"]), 0)
        shown = session(**names)
        self.assertEqual(shown.props.state, State.DAMAGED)
        self.assertTrue(shown.props.error.matches(SharedAuth.error_quark(), Error.RECORD_DAMAGED))
        call(shown, "sign_in_anonymously")
        self.assertEqual((shown.props.state, shown.props.error), (State.SIGNED_IN, None))

    def test_unavailable(self):
        program = (
            "from support import *\n"
            "made = session()\n"
            "assert made.props.state == State.UNAVAILABLE, made.props.state\n"
            "assert made.props.error.matches(SharedAuth.error_quark(), Error.KEYRING_UNAVAILABLE), made.props.error\n"
        )
        environment = {**os.environ, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"}
        subprocess.run([sys.executable, "-c", program], check=True, env=environment)

    def test_misconfigured(self):
        names, provider = fresh_names(), SharedAuth.LocalProvider()
        first = session(provider, **names)
        rows = [
            ({**names, "timeout": 1000}, Error.ALREADY_CONFIGURED),
            ({**names, "access_groups": ["group.org.example.other"]}, Error.ALREADY_CONFIGURED),
            ({"app_id": "two words"}, Error.INVALID_APP_IDENTIFIER),
            ({"project": "\x07"}, Error.INVALID_APP_IDENTIFIER),
            ({**names, "access_group": "group.org.example"}, Error.ALREADY_CONFIGURED),
            ({**names, "own_user_policy": SharedAuth.OwnUserPolicy.KEEP}, Error.ALREADY_CONFIGURED),
            ({"access_groups": ["nonsense"]}, Error.INVALID_ACCESS_GROUP),
            ({"access_group": "nonsense"}, Error.INVALID_ACCESS_GROUP),
            ({"access_group": ""}, Error.INVALID_ACCESS_GROUP),
            ({"team_id": "TEAM", "access_group": "OTHER.org.example"}, Error.ACCESS_GROUP_NOT_DECLARED),
            ({"access_group": "group.a.b", "access_groups": ["group.a.c"]}, Error.ACCESS_GROUP_NOT_DECLARED),
            ({"store": SharedAuth.Store.ENCRYPTED_FILES}, Error.KEYRING_UNAVAILABLE),
            ({"provider": SharedAuth.FirebaseProvider(emulator="127.0.0.1")}, Error.INTERNAL_ERROR),
        ]
        for options, code in rows:
            with self.subTest(options):
                other = session(**{"provider": provider, **options})
                self.assertEqual(other.props.state, State.UNAVAILABLE)
                self.assertTrue(other.props.error.matches(SharedAuth.error_quark(), code), other.props.error)
                self.assertEqual(other.props.access_group, options.get("access_group"))
                self.assertFails(code, call, other, "sign_in_anonymously")
        self.assertEqual(first.props.state, State.SIGNED_OUT)

    def test_sessions_share_identity_providers_with_the_same_settings(self):
        openid = {"issuer": "https://example.org", "client_id": "desktop"}
        custom = SharedAuth.CustomProvider(issuer="https://example.org")
        rows = [
            (SharedAuth.LocalProvider(), SharedAuth.LocalProvider(), True),
            (SharedAuth.OpenIDProvider(**openid), SharedAuth.OpenIDProvider(**openid), True),
            (SharedAuth.OpenIDProvider(**openid), SharedAuth.OpenIDProvider(**{**openid, "client_id": "web"}), False),
            (SharedAuth.FirebaseProvider(api_key="a"), SharedAuth.FirebaseProvider(api_key="a"), True),
            (SharedAuth.FirebaseProvider(api_key="a"), SharedAuth.FirebaseProvider(api_key="b"), False),
            (custom, custom, True),
            # Their handlers may differ.
            (custom, SharedAuth.CustomProvider(issuer="https://example.org"), False),
            (SharedAuth.LocalProvider(), None, False),
        ]
        for number, (one, other, is_shared) in enumerate(rows):
            with self.subTest(number):
                names = fresh_names()
                first, second = session(one, **names), session(other, **names)
                expected = first.props.state if is_shared else State.UNAVAILABLE
                self.assertEqual((first.props.state, second.props.state), (State.SIGNED_OUT, expected))

    def test_encrypted_files(self):
        key = os.environ["XDG_CONFIG_HOME"] + "/key"
        with open(os.open(key, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
            file.write(os.urandom(32))
        names = fresh_names()
        shown = session(store=SharedAuth.Store.ENCRYPTED_FILES, key_file=key, **names)
        call(shown, "sign_in_anonymously")
        self.assertEqual(shown.props.state, State.SIGNED_IN)
        self.assertEqual(session(**names).props.state, State.SIGNED_OUT)


if __name__ == "__main__":
    import unittest

    unittest.main()
