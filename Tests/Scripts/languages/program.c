/* A program in C for test_programs.py. Prints changes until the process is ended.
 *
 *     program watch APP-ID PROJECT [GROUP]
 */

#include <sharedauth-glib.h>
#include <stdio.h>

static void
show_state (SharedAuthSession *session, GParamSpec *property, gpointer data)
{
  static const char *const names[] = { "UNKNOWN", "SIGNED_IN", "SIGNED_OUT", "LOCKED", "UNAVAILABLE", "DAMAGED" };
  printf ("state %s\n", names[shared_auth_session_get_state (session)]);
}

static void
show_error (SharedAuthSession *session, GParamSpec *property, gpointer data)
{
  g_autoptr (GError) error = shared_auth_session_dup_error (session);
  if (error != NULL)
    printf ("error %d\n", error->code);
}

static void
show_group (SharedAuthSession *session, GParamSpec *property, gpointer data)
{
  g_autofree char *group = shared_auth_session_dup_access_group (session);
  printf ("group %s\n", group != NULL ? group : "none");
}

static void
show_name (SharedAuthUser *user, GParamSpec *property, gpointer data)
{
  g_autofree char *name = shared_auth_user_dup_display_name (user);
  printf ("renamed %s\n", name);
}

static void
announced (SharedAuthSession *session, SharedAuthUser *user, gpointer data)
{
  printf ("announced %s\n", user != NULL ? shared_auth_user_get_uid (user) : "nobody");
  /* The session references its user only while that one is current. */
  g_set_object ((SharedAuthUser **) data, user);
  if (user != NULL)
    g_signal_connect (user, "notify::display-name", G_CALLBACK (show_name), NULL);
}

int
main (int argc, char **argv)
{
  SharedAuthUser *user = NULL;
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (SharedAuthSession) session = NULL;

  if (argc < 4)
    return 64;
  setvbuf (stdout, NULL, _IOLBF, 0);
  session = g_object_new (SHARED_AUTH_TYPE_SESSION,
                          "app-id", argv[2],
                          "project", argv[3],
                          "access-group", argv[4],
                          NULL);
  show_state (session, NULL, NULL);
  g_signal_connect (session, "notify::state", G_CALLBACK (show_state), NULL);
  g_signal_connect (session, "notify::error", G_CALLBACK (show_error), NULL);
  g_signal_connect (session, "notify::access-group", G_CALLBACK (show_group), NULL);
  g_signal_connect (session, "announced", G_CALLBACK (announced), &user);
  g_main_loop_run (loop);
  return 0;
}
