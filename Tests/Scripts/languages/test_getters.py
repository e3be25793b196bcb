"""Tests that each property has a function that returns it, with the same value."""

import xml.etree.ElementTree as XML

from support import Error, GLib, SharedAuth, State, TestCase, call, fresh_names, session, wait
from test_abi import CORE, PREFIX

GROUP = "group.org.example.languages"


def declared():
    """Returns the properties of each class, and the functions that could return them."""
    namespace = XML.parse(f"{PREFIX}/share/gir-1.0/SharedAuth-1.gir").getroot().find(f"{CORE}namespace")
    for thing in namespace.findall(f"{CORE}class"):
        methods = {method.get("name"): method for method in thing.findall(f"{CORE}method")}
        for name in thing.findall(f"{CORE}property"):
            yield thing.get("name"), name, methods


def getter(instance, name):
    """Returns the value of a property, as its function returns it."""
    name = name.replace("-", "_")
    return getattr(instance, f"get_{name}", None) or getattr(instance, f"dup_{name}")


class Getters(TestCase):
    def test_each_property_has_a_function(self):
        count = 0
        for owner, item, methods in declared():
            name = item.get("name").replace("-", "_")
            with self.subTest(f"{owner}:{item.get('name')}"):
                method = methods.get(f"get_{name}", methods.get(f"dup_{name}"))
                self.assertIsNotNone(method)
                kinds = [item.find(f"{CORE}type"), method.find(f"{CORE}return-value/{CORE}type")]
                if None not in kinds:
                    self.assertEqual(*(kind.get("name") for kind in kinds))
                # What the caller gets is its own, unless it never changes.
                owned = method.find(f"{CORE}return-value").get("transfer-ownership")
                self.assertEqual(owned, "full" if f"dup_{name}" in methods else "none")
            count += 1
        self.assertGreater(count, 75)

    def assertSame(self, instance, **expected):
        for item in instance.list_properties():
            with self.subTest(item.name):
                value = getter(instance, item.name)()
                if item.name in expected:
                    self.assertEqual(value, expected[item.name])
                shown = instance.get_property(item.name)
                if isinstance(shown, GLib.Error):
                    shown, value = (shown.code, shown.message), (value.code, value.message)
                self.assertEqual(value, shown)

    def test_session(self):
        provider = SharedAuth.LocalProvider()
        made = session(
            provider, team_id="group.org", app_name="second", access_groups=[GROUP], access_group=GROUP,
            own_user_policy=SharedAuth.OwnUserPolicy.KEEP, keeps_other_users=True, refreshes_tokens=False,
            timeout=4000, identity_timeout=30000,
        )
        call(made, "sign_in_anonymously")
        self.assertSame(made, timeout=4000)
        self.assertEqual(made.dup_access_groups(), [GROUP])
        self.assertIs(made.dup_identity_provider(), provider)
        self.assertEqual(made.get_own_user_policy(), SharedAuth.OwnUserPolicy.KEEP)
        self.assertEqual((made.get_keeps_other_users(), made.get_refreshes_tokens()), (True, False))
        call(made, "sign_out")
        made.close()
        wait(lambda: made.props.state == State.UNAVAILABLE)
        self.assertSame(made)
        self.assertIsNone(made.dup_identity_provider())

    def test_store(self):
        made = SharedAuth.Session(store=SharedAuth.Store.ENCRYPTED_FILES, key_file="/nowhere", **fresh_names())
        self.assertSame(made)
        self.assertEqual((made.get_store(), made.dup_key_file()), (SharedAuth.Store.ENCRYPTED_FILES, "/nowhere"))

    def test_user(self):
        made = session()
        user = call(made, "sign_in_anonymously")
        self.assertSame(user)
        self.assertTrue(user.get_is_anonymous())
        call(made, "link_with_password", "ada@example.org", "correct horse")
        self.assertSame(user)
        self.assertEqual((user.get_is_anonymous(), user.dup_provider_id()), (False, "password"))
        # No session returned it.
        self.assertSame(SharedAuth.User())

    def test_providers(self):
        openid = SharedAuth.OpenIDProvider(
            issuer="https://example.org", client_id="desktop", client_secret="known", scopes=["openid", "feeds"],
            redirect_path="/back", redirect_port=8080, redirect_host="localhost", parameters=["prompt=login"],
            adds_offline_access=False, issuer_template="https://example.org/{tenantid}",
        )
        self.assertSame(openid)
        self.assertEqual((openid.dup_scopes(), openid.get_redirect_port()), (["openid", "feeds"], 8080))
        self.assertEqual(SharedAuth.OpenIDProvider().dup_scopes(), [])
        oauth = SharedAuth.OAuthProvider(
            issuer="https://example.org", authorization_endpoint="https://example.org/a", uid_member="user.id",
            token_endpoint="https://example.org/t", device_endpoint="https://example.org/d", client_name="Mail",
            revocation_endpoint="https://example.org/r", registration_endpoint="https://example.org/c",
            user_endpoint="https://example.org/u", introspection_endpoint="https://example.org/i", client_id="desktop",
            client_secret="known", registration_token="allowed", scopes=["feeds"], resources=["https://example.org"],
            redirect_path="/back", redirect_port=8080, redirect_host="localhost", parameters=["prompt=login"],
            page_title="Done", page_message="Go back.",
        )
        self.assertSame(oauth, redirect_uri="http://localhost:8080/back", uid_member="user.id")
        self.assertEqual(oauth.dup_resources(), ["https://example.org"])
        firebase = SharedAuth.FirebaseProvider(api_key="a-key", emulator="127.0.0.1:9", redirect_port=8080)
        self.assertSame(firebase)
        self.assertEqual((firebase.dup_api_key(), firebase.dup_emulator()), ("a-key", "127.0.0.1:9"))
        self.assertSame(SharedAuth.CustomProvider(issuer="https://example.org"), issuer="https://example.org")

    def test_request(self):
        seen = []
        provider = SharedAuth.CustomProvider(issuer="https://example.org")

        def sign_in(_, request):
            self.assertSame(request)
            seen.append((request.get_kind(), request.dup_email(), request.dup_password(), request.dup_scopes()))
            self.assertFalse(request.dup_cancellable().is_cancelled())
            request.return_error(Error.WRONG_PASSWORD, "No.")

        provider.connect("sign-in", sign_in)
        made = session(provider)
        self.assertFails(Error.WRONG_PASSWORD, call, made, "sign_in_with_password", "ada@example.org", "wrong")
        self.assertEqual(seen, [(SharedAuth.RequestKind.PASSWORD, "ada@example.org", "wrong", [])])
        # Nobody sent it.
        self.assertSame(SharedAuth.Request())


if __name__ == "__main__":
    import unittest

    unittest.main()
