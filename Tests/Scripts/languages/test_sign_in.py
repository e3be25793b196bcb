"""Sign-in in the browser and with a device code, at a server of another project and at the stand-in for Firebase."""

import os
import subprocess
import sys
import urllib.parse
import urllib.request

from support import Error, SharedAuth, State, TestCase, call, session, wait

ROOT = f"{os.path.dirname(os.path.abspath(__file__))}/../../.."
PERSON = f"{ROOT}/Tests/Suites/ForeignServerTests/Servers/person"


class Programs(TestCase):
    """Tests that start programs while a main loop runs."""

    def start(self, *command, **options):
        process = subprocess.Popen(command, text=True, **options)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream:
                stream.close()


class OpenID(Programs):
    def provider(self, **properties):
        issuer = os.environ["FOREIGN_NANOIDP"]
        return SharedAuth.OpenIDProvider(issuer=issuer, client_id="desktop", redirect_path="/callback", **properties)

    def test_in_the_browser(self):
        provider, addresses = self.provider(), []
        shown = session(provider)

        def open_address(_, address):
            addresses.append(address)
            self.start(sys.executable, PERSON, "page", "nanoidp", address)
            return True

        shown.connect("open-address", open_address)
        user = call(shown, "sign_in_with_browser", None)
        self.assertEqual(len(addresses), 1)
        self.assertEqual(user.props.issuer, f"{provider.props.issuer}#desktop")
        self.assertIs(shown.props.user, user)
        first = call(shown, "get_id_token", False)
        self.assertNotEqual(call(shown, "get_id_token", True), first)
        self.assertTrue(call(shown, "get_access_token", None, False))
        call(shown, "sign_out")

    def test_a_redirect_by_hand(self):
        shown, addresses = session(self.provider(parameters=["login_hint=ada", "prompt="])), []
        redirect = "http://127.0.0.1/callback?code=x&state=y"
        self.assertFails(Error.OPERATION_NOT_ALLOWED, shown.handle_redirect, redirect)

        def open_address(_, address):
            addresses.append(address)
            # The sign-in goes on waiting.
            self.assertFails(Error.INVALID_CREDENTIAL, shown.handle_redirect, redirect)
            self.start(sys.executable, PERSON, "page", "nanoidp", address)
            return True

        shown.connect("open-address", open_address)
        call(shown, "sign_in_with_browser", None)
        self.assertEqual(len(addresses), 1)
        self.assertIn("login_hint=ada", addresses[0])
        self.assertNotIn("prompt", addresses[0])
        call(shown, "sign_out")

    def test_a_host_that_is_not_this_machine(self):
        shown = session(self.provider(redirect_host="example.org"))
        self.assertFails(Error.OPERATION_NOT_ALLOWED, call, shown, "sign_in_with_browser", None)

    def test_with_a_device_code(self):
        shown, codes = session(self.provider()), []

        def show_code(_, code, address, complete_address):
            codes.append((code, complete_address))
            self.start(sys.executable, PERSON, "code", "nanoidp", address, code)

        shown.connect("device-code", show_code)
        user = call(shown, "sign_in_with_device_code")
        self.assertEqual((shown.props.state, len(codes)), (State.SIGNED_IN, 1))
        self.assertIs(shown.props.user, user)
        code, complete_address = codes[0]
        if complete_address:
            self.assertIn(code, urllib.parse.unquote(complete_address))

    def test_a_server_that_cannot_be_reached(self):
        shown = session(SharedAuth.OpenIDProvider(issuer="http://127.0.0.1:1", client_id="desktop"))
        self.assertFails(Error.NETWORK_ERROR, call, shown, "sign_in_with_browser", None)
        self.assertFails(Error.NETWORK_ERROR, call, shown, "sign_in_with_device_code")
        self.assertEqual(shown.props.state, State.SIGNED_OUT)


class Firebase(Programs):
    def setUp(self):
        command = [os.environ["FIREBASE_STAND_IN"], "--port", "0"]
        # A program in Swift, which needs no library of ours.
        environment = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
        server = self.start(*command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        self.address = server.stdout.readline().strip()
        emulator = urllib.parse.urlparse(self.address).netloc
        self.provider = SharedAuth.FirebaseProvider(api_key="a-key", emulator=emulator)

    def test_in_the_browser(self):
        shown, pages = session(self.provider), []

        def open_address(_, address):
            # The page of the service, as its user fills it in.
            pages.append(urllib.parse.urlparse(address))
            form = urllib.parse.urlencode({"subject": "ada", "email": "ada@example.com", "name": "Ada"})
            target = f"{self.address}/stand-in/sign-in?{pages[0].query}&{form}"
            self.start(sys.executable, "-c", "import sys, urllib.request as r; r.urlopen(sys.argv[1]).read()", target)
            return True

        shown.connect("open-address", open_address)
        user = call(shown, "sign_in_with_browser", "google.com")
        self.assertEqual((user.props.email, user.props.display_name), ("ada@example.com", "Ada"))
        self.assertEqual(len(pages), 1)
        self.assertEqual(call(shown, "get_id_token", True).count("."), 2)
        call(shown, "sign_out")
        self.assertFails(Error.INVALID_PROVIDER_ID, call, shown, "sign_in_with_browser", None)

    def test_a_password(self):
        shown = session(self.provider)
        call(shown, "create_user", "ada@example.com", "correct horse")
        self.assertEqual(shown.props.user.props.provider_id, "password")
        call(shown, "sign_out")
        self.assertFails(Error.INVALID_CREDENTIAL, call, shown, "sign_in_with_password", "ada@example.com", "wrong")
        call(shown, "sign_in_with_password", "ada@example.com", "correct horse")
        call(shown, "delete_user")
        wait(lambda: shown.props.state == State.SIGNED_OUT)


if __name__ == "__main__":
    import unittest

    unittest.main()
