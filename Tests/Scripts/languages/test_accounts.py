"""Tests the changes of the list of accounts."""

import time

from support import SharedAuth, State, TestCase, call, fresh_names, session, wait

GROUPS = ["group.org.example.languages.one", "group.org.example.languages.two"]


def sign_in(shown, uid):
    return call(shown, "sign_in_with_tokens", uid, None, "refresh", int(time.time()) + 3600, "https://example.org")


class Accounts(TestCase):
    def setUp(self):
        self.shown = session(None, keeps_other_users=True, access_group=GROUPS[0], **fresh_names())
        self.changes = []

    def listen(self):
        del self.changes[:]
        self.shown.props.accounts.connect("items-changed", lambda _, *change: self.changes.append(change))

    def uids(self):
        return [user.props.uid for user in self.shown.props.accounts]

    def replay(self, before):
        """Returns the accounts of a listener that knew those before, and asks for what has changed only."""
        kept = list(before)
        for position, removed, added in self.changes:
            kept[position : position + removed] = [None] * added
        return kept

    def test_one_more_and_one_less(self):
        self.listen()
        for number, uid in enumerate(["ada", "bob", "eve"]):
            sign_in(self.shown, uid)
            self.assertEqual([(removed, added) for _, removed, added in self.changes], [(0, 1)] * (number + 1))
        before = self.uids()
        users = {user.props.uid: user for user in self.shown.props.accounts}
        del self.changes[:]
        call(users[before[1]], "sign_out")
        self.assertEqual((self.changes, self.uids()), ([(1, 1, 0)], [before[0], before[2]]))

    def test_a_switch_changes_no_account(self):
        ada, bob = sign_in(self.shown, "ada"), sign_in(self.shown, "bob")
        self.listen()
        before = self.uids()
        call(self.shown, "switch_account", ada)
        self.assertEqual((self.shown.props.user, self.uids()), (ada, before))
        self.assertEqual(self.changes, [])
        self.assertIsNotNone(bob)

    def test_what_two_groups_have_stays(self):
        for uid in ("bob", "dan", "fay"):
            sign_in(self.shown, uid)
        call(self.shown, "use_access_group", GROUPS[1])
        for uid in ("ada", "bob", "cal", "dan", "eve"):
            sign_in(self.shown, uid)
        before = list(self.shown.props.accounts)
        self.listen()
        call(self.shown, "use_access_group", GROUPS[0])
        after = list(self.shown.props.accounts)
        self.assertEqual({user.props.uid for user in after}, {"bob", "dan", "fay"})
        same = [user for user in before if user in after]
        self.assertEqual({user.props.uid for user in same}, {"bob", "dan"})
        self.assertEqual([user for user in self.replay(before) if user], same)
        self.assertGreater(len(self.changes), 1)

    def test_a_handler_that_ends_the_session(self):
        for uid in ("ada", "bob", "cal", "dan", "eve"):
            sign_in(self.shown, uid)
        call(self.shown, "use_access_group", GROUPS[1])
        for uid in ("bob", "dan"):
            sign_in(self.shown, uid)
        accounts, heard = self.shown.props.accounts, []
        accounts.connect("items-changed", lambda *_: heard.append(True) or self.shown.run_dispose())
        self.shown.use_access_group_async(GROUPS[0], None, lambda *_: None)
        wait(lambda: heard)
        wait(lambda: self.shown.props.state == State.UNAVAILABLE)
        self.assertEqual((list(accounts), list(self.shown.props.accounts)), ([], []))
        self.assertIsInstance(self.shown.props.error.message, str)
        self.assertEqual(self.shown.props.error.code, SharedAuth.Error.APP_DELETED)


if __name__ == "__main__":
    import unittest

    unittest.main()
