/* Signs in anonymously and out again, and closes another session, for a memory checker.
 *
 *     rounds FIRST COUNT
 *
 * Runs FIRST rounds, then COUNT more, and ends once the session has ended.
 */

#include <stdlib.h>
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
refuse (SharedAuthCustomProvider *provider, SharedAuthRequest *request, gpointer session)
{
  (void) provider;
  shared_auth_request_return_error (request, SHARED_AUTH_ERROR_WRONG_PASSWORD,
                                    shared_auth_session_get_state (session) ? "no" : "unknown");
}

/* Closes a session whose provider holds a reference to it. */
static void
close_another (void)
{
  g_autoptr (SharedAuthCustomProvider) provider = shared_auth_custom_provider_new ("https://example.org");
  g_autoptr (SharedAuthSession) session =
    shared_auth_session_new ("org.example.languages.closed", SHARED_AUTH_IDENTITY_PROVIDER (provider));
  g_signal_connect_data (provider, "sign-in", G_CALLBACK (refuse), g_object_ref (session),
                         (GClosureNotify) (void (*) (void)) g_object_unref, 0);
  shared_auth_session_close (session);
}

static void
signed_out (GObject *session, GAsyncResult *result, gpointer data)
{
  GError *error = NULL;
  (void) data;
  check (shared_auth_session_sign_out_finish (SHARED_AUTH_SESSION (session), result, &error), error);
  close_another ();
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

/* Returns the number of open sockets. */
static int
sockets (void)
{
  g_autoptr (GDir) directory = g_dir_open ("/proc/self/fd", 0, NULL);
  const char *name;
  int count = 0;
  while ((name = g_dir_read_name (directory)) != NULL)
    {
      g_autofree char *path = g_build_filename ("/proc/self/fd", name, NULL);
      g_autofree char *target = g_file_read_link (path, NULL);
      if (target != NULL && g_str_has_prefix (target, "socket:"))
        count++;
    }
  return count;
}

/* Runs until the session has closed its connection to the bus, as its last work. */
static gboolean
has_ended (gpointer before)
{
  if (sockets () > GPOINTER_TO_INT (before))
    return G_SOURCE_CONTINUE;
  g_main_loop_quit (loop);
  return G_SOURCE_REMOVE;
}

int
main (int argc, char **argv)
{
  int first = argc > 2 ? atoi (argv[1]) : 0;
  int before = sockets ();
  g_autoptr (SharedAuthLocalProvider) provider = shared_auth_local_provider_new ();
  /* A memory checker makes calls slow. */
  SharedAuthSession *session = g_object_new (SHARED_AUTH_TYPE_SESSION,
                                             "app-id", "org.example.languages.rounds",
                                             "identity-provider", provider,
                                             "timeout", 60000,
                                             NULL);
  loop = g_main_loop_new (NULL, FALSE);
  /* The first rounds allocate what is created once and kept. */
  for (int part = 0; part < 2; part++)
    {
      rounds = part == 0 ? first : atoi (argv[2]);
      begin (session);
      g_main_loop_run (loop);
    }
  g_object_unref (session);
  g_timeout_add (10, has_ended, GINT_TO_POINTER (before));
  g_main_loop_run (loop);
  g_main_loop_unref (loop);
  return 0;
}
