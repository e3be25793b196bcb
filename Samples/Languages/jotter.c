/* Keeps a list of notes for the user who is signed in to the apps of an access group.
 *
 *     jotter [who | add TEXT… | list | sign-out]
 */

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sharedauth-glib.h>

#define APP_ID "com.example.Jotter"
#define GROUP "group.com.example.office"

typedef struct {
  GMainLoop *loop;
  char **words;
  int status;
} Jotter;

/* Ends the program. Prints the error, if there is one, and frees it. */
static void
end (Jotter *jotter, GError *error)
{
  if (error != NULL)
    {
      g_printerr ("jotter: %s\n", shared_auth_error_get_user_message (error));
      jotter->status = g_error_matches (error, SHARED_AUTH_ERROR, SHARED_AUTH_ERROR_KEYRING_LOCKED) ? 77 : 1;
      g_error_free (error);
    }
  g_main_loop_quit (jotter->loop);
}

static char *
notes_file (SharedAuthUser *user)
{
  g_autofree char *directory = g_build_filename (g_get_user_data_dir (), "jotter", NULL);
  g_autofree char *name = g_compute_checksum_for_string (G_CHECKSUM_SHA256, shared_auth_user_get_uid (user), -1);
  g_mkdir_with_parents (directory, 0700);
  return g_build_filename (directory, name, NULL);
}

static GError *
add (SharedAuthUser *user, char **words)
{
  GError *error = NULL;
  g_autofree char *file = notes_file (user);
  g_autofree char *note = g_strjoinv (" ", words);
  g_autoptr (GFile) place = g_file_new_for_path (file);
  g_autoptr (GFileOutputStream) stream = g_file_append_to (place, G_FILE_CREATE_PRIVATE, NULL, &error);
  if (stream != NULL)
    g_output_stream_printf (G_OUTPUT_STREAM (stream), NULL, NULL, &error, "%s\n", note);
  return error;
}

static GError *
list (SharedAuthUser *user)
{
  g_autofree char *file = notes_file (user);
  g_autofree char *notes = NULL;
  if (g_file_get_contents (file, &notes, NULL, NULL))
    g_print ("%s", notes);
  return NULL;
}

static void
signed_out (GObject *session, GAsyncResult *result, gpointer data)
{
  GError *error = NULL;
  if (shared_auth_session_sign_out_finish (SHARED_AUTH_SESSION (session), result, &error))
    g_print ("Signed out.\n");
  end (data, error);
}

/* Carries out the command, once the group's user is known. */
static void
loaded (GObject *object, GAsyncResult *result, gpointer data)
{
  Jotter *jotter = data;
  SharedAuthSession *session = SHARED_AUTH_SESSION (object);
  const char *verb = jotter->words[1] != NULL ? jotter->words[1] : "who";
  GError *error = NULL;
  g_autoptr (SharedAuthUser) user = shared_auth_session_load_finish (session, result, &error);
  if (error != NULL)
    {
      end (jotter, error);
      return;
    }
  if (user == NULL)
    {
      g_print ("No user is signed in. Sign in to any app of %s.\n", GROUP);
      jotter->status = strcmp (verb, "who") == 0 ? 0 : 1;
      end (jotter, NULL);
      return;
    }
  if (strcmp (verb, "sign-out") == 0)
    {
      shared_auth_session_sign_out_async (session, NULL, signed_out, jotter);
      return;
    }
  if (strcmp (verb, "add") == 0)
    error = add (user, jotter->words + 2);
  else if (strcmp (verb, "list") == 0)
    error = list (user);
  else
    {
      g_autofree char *email = shared_auth_user_dup_email (user);
      g_print ("%s is signed in.\n", email != NULL ? email : "A guest");
    }
  end (jotter, error);
}

int
main (int argc, char **argv)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  Jotter jotter = { loop, argv, EXIT_SUCCESS };
  /* Without an identity provider, users cannot sign in here, but the group's user is known. */
  g_autoptr (SharedAuthSession) session = shared_auth_session_new_with_access_group (APP_ID, GROUP, NULL);
  (void) argc;
  /* For errors in the user's language. */
  setlocale (LC_ALL, "");
  shared_auth_session_load_async (session, NULL, loaded, &jotter);
  g_main_loop_run (loop);
  return jotter.status;
}
