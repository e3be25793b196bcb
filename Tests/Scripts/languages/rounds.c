/* Signs in anonymously and out again, for a memory checker.
 *
 *     rounds FIRST COUNT
 *
 * Runs FIRST rounds, then COUNT more, and prints the allocated bytes after each part.
 */

#include <stdio.h>
#include <stdlib.h>
#include <malloc.h>
#include <sharedauth-glib.h>

static GMainLoop *loop;
static int rounds;

static void begin (SharedAuthSession *session);

static void
check (gboolean is_done, GError *error)
{
  if (is_done)
    return;
  g_printerr ("rounds: %s\n", error->message);
  exit (1);
}

static void
signed_out (GObject *session, GAsyncResult *result, gpointer data)
{
  GError *error = NULL;
  (void) data;
  check (shared_auth_session_sign_out_finish (SHARED_AUTH_SESSION (session), result, &error), error);
  begin (SHARED_AUTH_SESSION (session));
}

static void
signed_in (GObject *session, GAsyncResult *result, gpointer data)
{
  GError *error = NULL;
  g_autoptr (SharedAuthUser) user =
    shared_auth_session_sign_in_anonymously_finish (SHARED_AUTH_SESSION (session), result, &error);
  (void) data;
  check (user != NULL, error);
  shared_auth_session_sign_out_async (SHARED_AUTH_SESSION (session), NULL, signed_out, NULL);
}

static void
begin (SharedAuthSession *session)
{
  if (rounds-- == 0)
    g_main_loop_quit (loop);
  else
    shared_auth_session_sign_in_anonymously_async (session, NULL, signed_in, NULL);
}

int
main (int argc, char **argv)
{
  int first = argc > 2 ? atoi (argv[1]) : 0;
  g_autoptr (SharedAuthLocalProvider) provider = shared_auth_local_provider_new ();
  g_autoptr (SharedAuthSession) session =
    shared_auth_session_new ("org.example.languages.rounds", SHARED_AUTH_IDENTITY_PROVIDER (provider));
  loop = g_main_loop_new (NULL, FALSE);
  /* The first rounds allocate what is created once and kept. */
  for (int part = 0; part < 2; part++)
    {
      rounds = part == 0 ? first : atoi (argv[2]);
      begin (session);
      g_main_loop_run (loop);
      printf ("%zu\n", mallinfo2 ().uordblks);
    }
  g_main_loop_unref (loop);
  return 0;
}
