"""Tests an OAuth provider and a redirect to the app's own scheme in JavaScript, Vala and C."""

import subprocess
import tempfile

from oauth_server import redirect
from support import Error, compile_c, compile_vala, fresh_names
from test_oauth import OWN, ServerTestCase
from test_programs import Program

# Each program prints the address of the sign-in page, and passes on the addresses that it reads, until one is accepted.
JAVASCRIPT = """
imports.gi.versions.SharedAuth = '1';
const {Gio, GLib, SharedAuth} = imports.gi;
const [part, app_id, project, issuer] = ARGV;
const provider = new SharedAuth.OAuthProvider({
    issuer, client_id: 'desktop', scopes: ['feeds'], redirect_uri: 'com.example.mail:/signed-in',
});
const session = new SharedAuth.Session({app_id, project, identity_provider: provider});
const input = Gio.DataInputStream.new(new Gio.UnixInputStream({fd: 0}));
const loop = GLib.MainLoop.new(null, false);
session.connect('open-address', (_, address) => {
    print(address);
    for (;;) {
        try {
            session.handle_uri(input.read_line_utf8(null)[0]);
            return true;
        } catch (error) {
            print('refused', error.code);
        }
    }
});
session.sign_in_with_browser_async(null, null, (_, result) => {
    const user = session.sign_in_with_browser_finish(result);
    print(user.uid, user.issuer == session.user_issuer, provider.redirect_uri);
    print(session.get_access_token_sync(null, false, null) != '');
    loop.quit();
});
loop.run();
"""
VALA = """
int main (string[] arguments) {
    var provider = new SharedAuth.OAuthProvider (arguments[4], "desktop");
    assert (provider.redirect_uri == null && provider.client_secret == null);
    provider = (SharedAuth.OAuthProvider) Object.new (
        typeof (SharedAuth.OAuthProvider), "issuer", arguments[4], "client-id", "desktop",
        "redirect-uri", "com.example.mail:/signed-in"
    );
    var session = (SharedAuth.Session) Object.new (
        typeof (SharedAuth.Session), "app-id", arguments[2], "project", arguments[3], "identity-provider", provider
    );
    var loop = new MainLoop ();
    session.open_address.connect ((address) => {
        print ("%s\\n", address);
        while (true) {
            try {
                return session.handle_uri (stdin.read_line ());
            } catch (Error error) {
                print ("refused %d\\n", error.code);
            }
        }
    });
    session.sign_in_with_browser_async.begin (null, null, (_, result) => {
        try {
            var user = session.sign_in_with_browser_async.end (result);
            var is_same = user.issuer == session.user_issuer;
            print ("%s %s %s\\n", user.uid, is_same.to_string (), provider.redirect_uri);
            print ("%s\\n", (session.get_access_token_sync (null, false) != "").to_string ());
        } catch (Error error) {
            print ("failed %d\\n", error.code);
        }
        loop.quit ();
    });
    loop.run ();
    return 0;
}
"""
C = """
#include <sharedauth-glib.h>
#include <stdio.h>

static gboolean
open_address (SharedAuthSession *session, const char *address, gpointer data)
{
  char line[4096];
  puts (address);
  while (fgets (line, sizeof line, stdin) != NULL)
    {
      g_autoptr (GError) error = NULL;
      if (shared_auth_session_handle_uri (session, g_strchomp (line), &error))
        return TRUE;
      printf ("refused %d\\n", error->code);
    }
  return FALSE;
}

static void
signed_in (GObject *object, GAsyncResult *result, gpointer loop)
{
  SharedAuthSession *session = SHARED_AUTH_SESSION (object);
  g_autoptr (SharedAuthUser) user = shared_auth_session_sign_in_with_browser_finish (session, result, NULL);
  g_autoptr (SharedAuthIdentityProvider) provider = shared_auth_session_dup_identity_provider (session);
  g_autofree char *issuer = shared_auth_user_dup_issuer (user);
  g_autofree char *expected = shared_auth_session_dup_user_issuer (session);
  g_autofree char *address = shared_auth_oauth_provider_dup_redirect_uri (SHARED_AUTH_OAUTH_PROVIDER (provider));
  g_autofree char *token = shared_auth_session_get_access_token_sync (session, NULL, FALSE, NULL, NULL);
  printf ("%s %s %s\\n", shared_auth_user_get_uid (user), g_str_equal (issuer, expected) ? "true" : "false", address);
  printf ("%s\\n", token != NULL ? "true" : "false");
  g_main_loop_quit (loop);
}

int
main (int argc, char **argv)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (SharedAuthOAuthProvider) provider = NULL;
  g_autoptr (SharedAuthSession) session = NULL;

  setvbuf (stdout, NULL, _IOLBF, 0);
  provider = g_object_new (SHARED_AUTH_TYPE_OAUTH_PROVIDER,
                           "issuer", argv[4],
                           "client-id", "desktop",
                           "redirect-uri", "com.example.mail:/signed-in",
                           NULL);
  session = g_object_new (SHARED_AUTH_TYPE_SESSION,
                          "app-id", argv[2],
                          "project", argv[3],
                          "identity-provider", provider,
                          NULL);
  g_signal_connect (session, "open-address", G_CALLBACK (open_address), NULL);
  shared_auth_session_sign_in_with_browser_async (session, NULL, NULL, signed_in, loop);
  g_main_loop_run (loop);
  return 0;
}
"""


class Programs(ServerTestCase):
    def check(self, *command):
        server = self.server()
        with Program(command, "oauth", fresh_names(), server.issuer, stdin=subprocess.PIPE) as program:
            [page] = program.lines(1)
            program.process.stdin.write(f"{OWN}?code=x&state=y\n{redirect(page)}\n")
            program.process.stdin.flush()
            self.assertEqual(
                program.rest(), ([f"refused {int(Error.INVALID_CREDENTIAL)}", f"ada true {OWN}", "true"], "")
            )

    def compiled(self, compiler, name, source):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        with open(f"{folder.name}/{name}", "w") as file:
            file.write(source)
        compiler(f"{folder.name}/{name}", f"{folder.name}/program")
        return f"{folder.name}/program"

    def test_javascript(self):
        self.check("gjs", "-c", JAVASCRIPT)

    def test_vala(self):
        self.check(self.compiled(compile_vala, "program.vala", VALA))

    def test_c(self):
        self.check(self.compiled(compile_c, "program.c", C))


if __name__ == "__main__":
    import unittest

    unittest.main()
