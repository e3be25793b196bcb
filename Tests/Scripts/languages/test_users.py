"""Tests the calls of users, who need not be the current one."""

import subprocess
import sys

from support import (
    Error, Gio, Keyring, SharedAuth, State, TestCase, begin, call, fresh_names, session, wait
)
from test_provider import HOUR, Kind, Server, after

GROUP = "group.org.example.languages.users"
CALLS = {
    "get_id_token": (True,),
    "get_access_token": (None, True),
    "reload": (),
    "sign_out": (),
    "delete_account": (),
    "link_with_password": ("eve@example.org", "correct horse"),
}
# A process of another app of the group, which makes each of two accounts current in turn until its input ends.
SWITCHER = """
import sys, threading
from support import *
shown = session(None, keeps_other_users=True, access_group=sys.argv[1], app_id=sys.argv[2], project=sys.argv[3])
wait(lambda: len(list(shown.props.accounts)) == 2)
print('ready', flush=True)
is_over = []
threading.Thread(target=lambda: (sys.stdin.read(), is_over.append(True)), daemon=True).start()
switches = 0
while not is_over:
    for uid in ('ada', 'bob'):
        user = next(one for one in shown.props.accounts if one.props.uid == uid)
        call(shown, 'switch_account', user)
        switches += 1
print(switches, shown.props.user.props.uid)
"""


def issuer(name, uid):
    """Returns an identity provider of an issuer, whose tokens name both and are numbered."""
    server, numbers = Server(issuer=f"https://{name}.example.org"), []

    def tokens(request):
        numbers.append(len(numbers))
        request.add_access_token(f"access-{name}-{uid}-{len(numbers)}", None, after(HOUR))
        request.return_tokens(uid, f"id-{name}-{uid}-{len(numbers)}", f"refresh-{len(numbers)}", after(HOUR))

    server.answers[Kind.PASSWORD] = server.answers[Kind.REFRESH] = tokens
    server.answers[Kind.PROFILE] = lambda request: request.return_profile(uid, None, False, uid.title(), None)
    return server


class TwoAccounts(TestCase):
    """An app with two accounts, of which the guest is not current."""

    def setUp(self):
        self.shown = session(keeps_other_users=True)
        self.guest = call(self.shown, "sign_in_anonymously")
        self.ada = call(self.shown, "create_user", "ada@example.org", "correct horse")
        self.announced = []
        self.shown.connect("announced", lambda _, user: self.announced.append(user))

    def uids(self):
        return {user.props.uid for user in self.shown.props.accounts}

    def assertCurrent(self, user):
        self.assertIs(self.shown.props.user, user)
        self.assertEqual(self.announced, [])

    def test_tokens_of_both_at_once(self):
        users = (self.guest, self.ada)
        ends = [begin(user, "get_id_token", is_forced) for is_forced in (False, True) for user in users]
        tokens = [end() for end in ends]
        self.assertEqual(len(set(tokens)), 4)
        self.assertEqual(call(self.ada, "get_id_token", False), call(self.shown, "get_id_token", False))
        self.assertEqual(call(self.guest, "get_id_token", False), tokens[2])
        self.assertFails(Error.OPERATION_NOT_ALLOWED, call, self.guest, "get_access_token", None, False)
        self.assertCurrent(self.ada)

    def test_changes_of_the_other_account(self):
        uid = self.guest.props.uid
        call(self.guest, "reload")
        self.assertTrue(call(self.guest, "link_with_password", "eve@example.org", "correct horse"))
        wait(lambda: not self.guest.props.is_anonymous)
        self.assertEqual(self.guest.props.email, "eve@example.org")
        self.assertCurrent(self.ada)
        self.assertTrue(call(self.guest, "sign_out"))
        self.assertEqual(self.uids(), {self.ada.props.uid})
        self.assertCurrent(self.ada)
        again = call(self.shown, "sign_in_with_password", "eve@example.org", "correct horse")
        self.assertEqual(again.props.uid, uid)

    def test_deletion_of_the_other_account(self):
        call(self.guest, "link_with_password", "eve@example.org", "correct horse")
        self.assertTrue(call(self.guest, "delete_account"))
        self.assertEqual(self.uids(), {self.ada.props.uid})
        self.assertCurrent(self.ada)
        self.assertFails(
            Error.USER_NOT_FOUND, call, self.shown, "sign_in_with_password", "eve@example.org", "correct horse")

    def test_sign_out_of_the_current_account(self):
        self.assertTrue(call(self.ada, "sign_out"))
        self.assertEqual((self.shown.props.state, self.shown.props.user), (State.SIGNED_OUT, None))
        self.assertEqual((self.uids(), self.announced), ({self.guest.props.uid}, [None]))
        self.assertEqual(call(self.guest, "get_id_token", True).count("."), 2)

    def test_a_user_of_no_session(self):
        for name, arguments in CALLS.items():
            with self.subTest(name):
                self.assertFails(Error.NULL_USER, call, SharedAuth.User(), name, *arguments)

    def test_users_of_a_session_that_has_ended(self):
        for end in (self.shown.close, lambda: delattr(self, "shown")):
            end()
            for name, arguments in CALLS.items():
                with self.subTest(name):
                    self.assertFails(Error.APP_DELETED, call, self.guest, name, *arguments)

    def test_cancelled_calls(self):
        for name, arguments in CALLS.items():
            with self.subTest(name):
                cancellable = Gio.Cancellable()
                cancellable.cancel()
                self.assertCancelled(call, self.guest, name, *arguments, cancellable=cancellable)
        self.assertEqual(self.uids(), {self.guest.props.uid, self.ada.props.uid})

    def test_close_ends_calls_of_users(self):
        Keyring.pause()
        try:
            end = begin(self.guest, "get_id_token", True)
            self.shown.close()
            self.assertFails(Error.APP_DELETED, end)
        finally:
            Keyring.resume()

    def test_a_call_keeps_the_session(self):
        end, gone = begin(self.guest, "get_id_token", True), []
        self.shown.weak_ref(lambda: gone.append(True))
        del self.shown, self.ada
        self.assertEqual(end().count("."), 2)
        wait(lambda: gone)
        self.assertFails(Error.APP_DELETED, call, self.guest, "get_id_token", True)


class TwoIssuers(TestCase):
    """Two apps of a group, each of another issuer, and a third one that switches between their accounts."""

    def test_tokens_while_another_app_switches(self):
        names, servers, sessions, users = fresh_names(), {}, {}, {}
        for name, uid in (("one", "ada"), ("two", "bob")):
            servers[uid] = issuer(name, uid)
            own = {**names, "app_id": f"{names['app_id']}.{name}"}
            sessions[uid] = session(servers[uid].provider, keeps_other_users=True, access_group=GROUP, **own)
            users[uid] = call(sessions[uid], "sign_in_with_password", f"{uid}@example.org", "right")
        for shown in sessions.values():
            wait(lambda: len(list(shown.props.accounts)) == 2)
        command = [sys.executable, "-c", SWITCHER, GROUP, f"{names['app_id']}.three", names["project"]]
        other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.assertEqual(other.stdout.readline(), "ready\n")
        seen = {"ada": set(), "bob": set()}
        switched = []
        sessions["ada"].connect("announced", lambda _, user: switched.append(user.props.uid))
        round = 0
        while round < 20 or len(switched) < 4:
            round += 1
            ends = [(uid, begin(user, "get_id_token", True)) for uid, user in users.items()]
            ends += [(uid, begin(user, "get_access_token", None, False)) for uid, user in users.items()]
            for uid, end in ends:
                token = end()
                self.assertEqual(token.split("-")[2], uid)
                seen[uid].add(token)
        output, _ = other.communicate()
        switches, last = output.split()
        self.assertGreater(int(switches), 3)
        for shown in sessions.values():
            wait(lambda: shown.props.user.props.uid == last)
        self.assertEqual([len(tokens) >= 20 for tokens in seen.values()], [True, True])
        for uid, shown in sessions.items():
            for user in shown.props.accounts:
                # The token of the other issuer is there, and only that issuer's app can renew it.
                self.assertEqual(call(user, "get_id_token", False).split("-")[2], user.props.uid)
                if user.props.uid != uid:
                    self.assertFails(Error.ISSUER_MISMATCH, call, user, "get_id_token", True)
        # Each app signs its own account out, and nobody else.
        call(users["ada"], "sign_out")
        self.assertEqual([user.props.uid for user in sessions["ada"].props.accounts], ["bob"])
        self.assertEqual(call(users["bob"], "get_id_token", True).split("-")[2], "bob")


if __name__ == "__main__":
    import unittest

    unittest.main()
