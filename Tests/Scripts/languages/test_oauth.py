"""Tests sign-ins at a plain OAuth 2 server, redirects to the app's own scheme, and the browser's last page."""

import subprocess
import sys
import threading

from oauth_server import Browser, OAuthServer, redirect
from support import Error, Gio, SharedAuth, State, TestCase, begin, call, fresh_names, session, wait

OWN = "com.example.mail:/signed-in"


class ServerTestCase(TestCase):
    def server(self, **options):
        server = OAuthServer(**options)
        self.addCleanup(server.close)
        return server

    def provider(self, server, **properties):
        return SharedAuth.OAuthProvider(issuer=server.issuer, **{"client_id": "desktop", **properties})


class OAuth(ServerTestCase):
    def test_in_the_browser(self):
        server = self.server()
        shown = session(self.provider(server, scopes=["feeds", "profile"], parameters=["prompt=login"]))
        browser = Browser(shown)
        user = call(shown, "sign_in_with_browser", None)
        properties = user.props
        self.assertEqual((properties.uid, properties.email, properties.display_name), ("ada", "ada@example.org", "Ada"))
        self.assertEqual(properties.issuer, f"oauth2:{server.issuer}#desktop")
        self.assertEqual(shown.props.user_issuer, properties.issuer)
        self.assertIn("scope=feeds%20profile", browser.addresses[0].replace("+", "%20"))
        self.assertIn("prompt=login", browser.addresses[0])
        self.assertIn("You can close this page", browser.page())
        first = call(shown, "get_access_token", None, False)
        self.assertRegex(first, "^access-")
        self.assertNotEqual(call(user, "get_access_token", None, True), first)
        self.assertRegex(user.get_access_token_sync(None, False, None), "^access-")
        self.assertFails(Error.OPERATION_NOT_ALLOWED, call, shown, "get_id_token", False)
        call(shown, "reload")
        call(shown, "sign_out")
        self.assertIn("/revoke", server.asked)

    def test_a_server_without_metadata(self):
        server = self.server(has_metadata=False)
        endpoints = {
            f"{name}_endpoint": f"{server.issuer}/{path}"
            for name, path in (("authorization", "authorize"), ("token", "token"), ("device", "device"),
                               ("revocation", "revoke"), ("user", "user"))
        }
        shown = session(SharedAuth.OAuthProvider(client_id="desktop", uid_member="account.id", **endpoints))
        Browser(shown)
        user = call(shown, "sign_in_with_browser", None)
        self.assertEqual((user.props.uid, user.props.issuer), ("7", f"oauth2:{server.issuer}/token#desktop"))
        call(shown, "sign_out")
        self.assertIn("/revoke", server.asked)
        self.assertNotIn("/.well-known/oauth-authorization-server", server.asked)

    def test_an_app_that_registers_itself(self):
        server = self.server()
        provider = SharedAuth.OAuthProvider(issuer=server.issuer, client_name="Mail", redirect_uri=OWN)
        shown = session(provider)
        browser = Own(shown)
        user = call(shown, "sign_in_with_browser", None)
        self.assertEqual(user.props.issuer, f"{shown.props.user_issuer}#client-1")
        self.assertEqual([one["client_name"] for one in server.registered], ["Mail"])
        self.assertIn(OWN, server.registered[0]["redirect_uris"])
        self.assertIn("client_id=client-1", browser.addresses[0])
        self.assertRegex(call(shown, "get_access_token", None, True), "^access-")
        call(shown, "sign_out")

    def test_with_a_device_code(self):
        shown, codes = session(self.provider(self.server())), []
        shown.connect("device-code", lambda _, code, address, complete: codes.append(code))
        self.assertEqual(call(shown, "sign_in_with_device_code").props.uid, "ada")
        self.assertEqual(codes, ["ABCD"])

    def test_invalid_options(self):
        endpoint = "https://example.org/token"
        table = [
            {}, {"issuer": "https://example.org"}, {"client_id": "desktop"},
            {"token_endpoint": endpoint, "client_id": "desktop"},
            {"issuer": "https://example.org", "client_id": "desktop", "scopes": []},
            {"issuer": "https://example.org", "client_id": "desktop", "scopes": ["two words"]},
            {"issuer": "https://example.org", "client_id": "desktop", "parameters": ["prompt"]},
        ]
        for options in table:
            with self.subTest(options):
                shown = session(SharedAuth.OAuthProvider(**options))
                self.assertEqual(shown.props.state, State.UNAVAILABLE)
                self.assertEqual(shown.props.error.code, Error.OPERATION_NOT_ALLOWED)
                self.assertFails(Error.OPERATION_NOT_ALLOWED, call, shown, "sign_in_with_browser", None)
                self.assertIsNone(shown.props.user_issuer)

    def test_a_server_without_https(self):
        shown = session(SharedAuth.OAuthProvider(issuer="http://example.org", client_id="desktop"))
        self.assertFails(Error.OPERATION_NOT_ALLOWED, call, shown, "sign_in_with_browser", None)
        self.assertFails(Error.OPERATION_NOT_ALLOWED, call, shown, "sign_in_with_device_code")

    def test_sessions_with_the_same_options_share_the_user(self):
        server, names = self.server(), fresh_names()
        first = session(self.provider(server, scopes=["a", "b"]), **names)
        second = session(self.provider(server, scopes=["b", "a"]), **names)
        third = session(self.provider(server, scopes=["b"]), **names)
        self.assertEqual(third.props.error.code, Error.ALREADY_CONFIGURED)
        Browser(first)
        uid = call(first, "sign_in_with_browser", None).props.uid
        wait(lambda: second.props.user)
        self.assertEqual(second.props.user.props.uid, uid)


class Own:
    """Passes the redirects of the sign-in pages that a session opens to it, as the desktop does with an app's scheme."""

    def __init__(self, session, pass_on=True):
        self.addresses, self.redirects = [], []

        def open_address(made, address):
            self.addresses.append(address)
            self.redirects.append(redirect(address))
            if pass_on:
                made.handle_uri(self.redirects[-1])
            return True

        session.connect("open-address", open_address)


class OwnScheme(ServerTestCase):
    def test_every_kind_of_server(self):
        server = self.server()
        shown = session(self.provider(server, redirect_uri=OWN))
        self.assertEqual(shown.props.identity_provider.props.redirect_uri, OWN)
        own = Own(shown)
        self.assertEqual(call(shown, "sign_in_with_browser", None).props.uid, "ada")
        self.assertTrue(own.redirects[0].startswith(f"{OWN}?code="))
        openid = session(SharedAuth.OpenIDProvider(issuer=server.issuer, client_id="desktop", redirect_uri=OWN))
        self.assertEqual(openid.props.state, State.SIGNED_OUT)
        self.assertEqual(openid.props.user_issuer, f"{server.issuer}#desktop")

    def test_addresses_that_are_refused(self):
        shown = session(self.provider(self.server(), redirect_uri=OWN))
        self.assertFails(Error.OPERATION_NOT_ALLOWED, shown.handle_uri, f"{OWN}?code=x&state=y")
        own = Own(shown, pass_on=False)
        end = begin(shown, "sign_in_with_browser", None)
        wait(lambda: own.redirects)
        good = own.redirects[0]
        wrong = [f"{OWN}?code=x&state=y", OWN, "", "file:///etc/passwd", good.replace("signed-in", "other"),
                 good.replace("com.example.mail", "com.example.calendar"), f"{good}&state=again", f"{good}&iss=x"]
        for address in wrong:
            with self.subTest(address):
                self.assertFails(Error.INVALID_CREDENTIAL, shown.handle_uri, address)
        self.assertFalse(end.results)
        self.assertTrue(shown.handle_uri(good))
        self.assertEqual(end().props.uid, "ada")
        # It counts once.
        self.assertFails(Error.OPERATION_NOT_ALLOWED, shown.handle_uri, good)

    def test_by_hand(self):
        shown = session(self.provider(self.server(), redirect_uri=OWN))
        own = Own(shown, pass_on=False)
        end = begin(shown, "sign_in_with_browser", None)
        wait(lambda: own.redirects)
        self.assertTrue(shown.handle_redirect(own.redirects[0]))
        self.assertEqual(end().props.uid, "ada")

    def test_sessions_that_take_none(self):
        server = self.server()
        for provider in (None, "local", self.provider(server), SharedAuth.FirebaseProvider(api_key="a-key"),
                         SharedAuth.CustomProvider(issuer="https://example.org")):
            self.assertFails(Error.OPERATION_NOT_ALLOWED, session(provider).handle_uri, f"{OWN}?code=x&state=y")
        # A redirect to a port of this machine comes from the browser.
        shown = session(self.provider(server))
        own = Own(shown, pass_on=False)
        end = begin(shown, "sign_in_with_browser", None)
        wait(lambda: own.redirects)
        self.assertFails(Error.OPERATION_NOT_ALLOWED, shown.handle_uri, own.redirects[0])
        self.assertTrue(shown.handle_redirect(own.redirects[0]))
        self.assertEqual(end().props.uid, "ada")
        closed = session(self.provider(server, redirect_uri=OWN))
        closed.close()
        self.assertFails(Error.APP_DELETED, closed.handle_uri, f"{OWN}?code=x&state=y")

    def test_cancelled_sign_in(self):
        shown, cancellable = session(self.provider(self.server(), redirect_uri=OWN)), Gio.Cancellable()
        own = Own(shown, pass_on=False)
        end = begin(shown, "sign_in_with_browser", None, cancellable=cancellable)
        wait(lambda: own.redirects)
        cancellable.cancel()
        self.assertCancelled(end)
        self.assertFails(Error.OPERATION_NOT_ALLOWED, shown.handle_uri, own.redirects[0])

    def test_closed_during_the_sign_in(self):
        shown = session(self.provider(self.server(), redirect_uri=OWN))
        own = Own(shown, pass_on=False)
        end = begin(shown, "sign_in_with_browser", None)
        wait(lambda: own.redirects)
        shown.close()
        self.assertFails(Error.APP_DELETED, end)
        self.assertFails(Error.APP_DELETED, shown.handle_uri, own.redirects[0])

    def test_addresses_that_are_none_of_an_app(self):
        server = self.server()
        good = ["com.example.mail:/a", "com.example.mail://a", "com.example.mail://a/B", "com.example.x-1:/a~b._-"]
        bad = ["", "mail:/a", "com.example.mail:", "com.example.mail:/", "com.example.mail:a", "com.example.mail://",
               "com.example.mail:///a", "Com.example.mail:/a", "com.example.mail://A/b", "com.example.mail:/a?b=c",
               "com.example.mail:/a#b", "com..example:/a", "com.1example:/a", "com.example.mail:/ä", "http://127.0.0.1/a",
               "https://example.org/a", "javascript:alert(1)", f"com.example.mail:/{'a' * 1100}"]
        for address in good + bad:
            with self.subTest(address):
                shown = session(self.provider(server, redirect_uri=address))
                self.assertEqual(shown.props.state, State.SIGNED_OUT if address in good else State.UNAVAILABLE)
                if address in bad:
                    self.assertEqual(shown.props.error.code, Error.OPERATION_NOT_ALLOWED)

    def test_an_app_that_the_desktop_opens(self):
        server, names = self.server(), fresh_names()
        program = f"""
import sys
from support import *
app = Gio.Application(application_id={names["app_id"]!r}, flags=Gio.ApplicationFlags.HANDLES_OPEN)
provider = SharedAuth.OAuthProvider(issuer={server.issuer!r}, client_id="desktop", redirect_uri={OWN!r})
session = SharedAuth.Session(project={names["project"]!r}, identity_provider=provider)

def opened(_, files, count, hint):
    for file in files:
        session.handle_uri(file.get_uri())

def signed_in(made, result):
    print(made.sign_in_with_browser_finish(result).props.uid, flush=True)
    app.quit()

def activate(_):
    app.hold()
    session.sign_in_with_browser_async(None, None, signed_in)

session.connect("open-address", lambda _, address: print(address, flush=True) or True)
app.connect("open", opened)
app.connect("activate", activate)
app.run(sys.argv)
"""
        first = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        try:
            address = redirect(first.stdout.readline().strip())
            # The desktop starts the app with the address, which GApplication passes to the running one.
            subprocess.run([sys.executable, "-c", program, address], check=True, timeout=60)
            self.assertEqual(first.stdout.readline(), "ada\n")
            self.assertEqual(first.wait(60), 0)
        finally:
            first.kill()
            first.communicate()


class Redirects(ServerTestCase):
    def test_address_that_is_known(self):
        table = [
            ({"redirect_path": "/back"}, "http://127.0.0.1/back"),
            ({"redirect_path": "/back", "redirect_port": 8080}, "http://127.0.0.1:8080/back"),
            ({"redirect_path": "/back", "redirect_host": "localhost"}, "http://localhost/back"),
            ({"redirect_path": "/back", "redirect_uri": OWN}, OWN),
            ({}, None),
        ]
        for kind in (SharedAuth.OpenIDProvider, SharedAuth.OAuthProvider):
            for options, address in table:
                self.assertEqual(kind(**options).props.redirect_uri, address)
        self.assertIsNone(SharedAuth.FirebaseProvider().props.redirect_uri)

    def test_address_that_depends_on_the_server(self):
        for names_itself in (True, False):
            with self.subTest(names_itself):
                provider = self.provider(self.server(names_itself=names_itself))
                shown, heard = session(provider), []
                provider.connect(
                    "notify::redirect-uri",
                    lambda made, _: heard.append((made.props.redirect_uri, threading.get_ident())),
                )
                self.assertIsNone(provider.props.redirect_uri)
                Browser(shown)
                for _ in range(2):
                    call(shown, "sign_in_with_browser", None)
                address = provider.props.redirect_uri
                pattern = "^http://127.0.0.1/callback$" if names_itself else "^http://127.0.0.1/callback/[0-9a-f]{12}$"
                self.assertRegex(address, pattern)
                self.assertEqual(heard, [(address, threading.get_ident())])


class Pages(ServerTestCase):
    def page(self, **properties):
        shown = session(self.provider(self.server(), **properties))
        browser = Browser(shown)
        call(shown, "sign_in_with_browser", None)
        return browser.page()

    def test_the_last_page(self):
        page = self.page(page_title="Zurück <b>", page_message="Sie können & dürfen")
        self.assertIn("<title>Zurück &lt;b&gt;</title>", page)
        self.assertIn("<h1>Zurück &lt;b&gt;</h1><p>Sie können &amp; dürfen</p>", page)
        self.assertIn("<title>Back to the app</title>", self.page())

    def test_one_of_both(self):
        self.assertIn("<h1>Done</h1><p>You can close this page and go back to the app.</p>", self.page(page_title="Done"))
        self.assertIn("<h1>Back to the app</h1><p>Go on.</p>", self.page(page_message="Go on."))

    def test_every_provider_has_both(self):
        for kind in (SharedAuth.OAuthProvider, SharedAuth.OpenIDProvider, SharedAuth.FirebaseProvider):
            made = kind(page_title="Done", page_message="Go on.")
            self.assertEqual((made.props.page_title, made.dup_page_message()), ("Done", "Go on."))


if __name__ == "__main__":
    import unittest

    unittest.main()
