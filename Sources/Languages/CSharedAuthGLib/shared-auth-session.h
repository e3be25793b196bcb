#pragma once

#include <gio/gio.h>

#include "shared-auth-provider.h"
#include "shared-auth-user.h"

G_BEGIN_DECLS

#define SHARED_AUTH_TYPE_STATE (shared_auth_state_get_type ())

/**
 * SharedAuthState:
 * @SHARED_AUTH_STATE_UNKNOWN: it is not known yet
 * @SHARED_AUTH_STATE_SIGNED_IN: a user is signed in
 * @SHARED_AUTH_STATE_SIGNED_OUT: nobody is signed in
 * @SHARED_AUTH_STATE_LOCKED: the keyring is locked; see shared_auth_session_unlock_async()
 * @SHARED_AUTH_STATE_UNAVAILABLE: there is no keyring to ask, or the session is misconfigured;
 *   #SharedAuthSession:error says why
 * @SHARED_AUTH_STATE_DAMAGED: what is stored cannot be read; the next sign-in or sign-out starts over
 *
 * What is known of the current user. Only %SHARED_AUTH_STATE_SIGNED_OUT means that nobody is signed in.
 */
typedef enum {
  SHARED_AUTH_STATE_UNKNOWN,
  SHARED_AUTH_STATE_SIGNED_IN,
  SHARED_AUTH_STATE_SIGNED_OUT,
  SHARED_AUTH_STATE_LOCKED,
  SHARED_AUTH_STATE_UNAVAILABLE,
  SHARED_AUTH_STATE_DAMAGED
} SharedAuthState;

GType shared_auth_state_get_type (void) G_GNUC_CONST;

#define SHARED_AUTH_TYPE_STORE (shared_auth_store_get_type ())

/**
 * SharedAuthStore:
 * @SHARED_AUTH_STORE_KEYRING: the desktop's keyring
 * @SHARED_AUTH_STORE_ENCRYPTED_FILES: encrypted files, whose key #SharedAuthSession:key-file has
 *
 * Where users are stored.
 */
typedef enum {
  SHARED_AUTH_STORE_KEYRING,
  SHARED_AUTH_STORE_ENCRYPTED_FILES
} SharedAuthStore;

GType shared_auth_store_get_type (void) G_GNUC_CONST;

#define SHARED_AUTH_TYPE_MIGRATION_POLICY (shared_auth_migration_policy_get_type ())

/**
 * SharedAuthMigrationPolicy:
 * @SHARED_AUTH_MIGRATION_POLICY_FAIL: nothing changes, and the call fails
 * @SHARED_AUTH_MIGRATION_POLICY_REPLACE: the user takes the other's place
 * @SHARED_AUTH_MIGRATION_POLICY_ADD: the user becomes a second account there, and the other stays current
 * @SHARED_AUTH_MIGRATION_POLICY_SKIP: nothing changes, and that is no error
 * @SHARED_AUTH_MIGRATION_POLICY_JOIN: the app joins the other user, and the user stays stored where they are
 *
 * What becomes of a user who is to be moved to where another user is current.
 */
typedef enum {
  SHARED_AUTH_MIGRATION_POLICY_FAIL,
  SHARED_AUTH_MIGRATION_POLICY_REPLACE,
  SHARED_AUTH_MIGRATION_POLICY_ADD,
  SHARED_AUTH_MIGRATION_POLICY_SKIP,
  SHARED_AUTH_MIGRATION_POLICY_JOIN
} SharedAuthMigrationPolicy;

GType shared_auth_migration_policy_get_type (void) G_GNUC_CONST;

#define SHARED_AUTH_TYPE_SESSION (shared_auth_session_get_type ())
#define SHARED_AUTH_SESSION(object) \
  (G_TYPE_CHECK_INSTANCE_CAST ((object), SHARED_AUTH_TYPE_SESSION, SharedAuthSession))
#define SHARED_AUTH_IS_SESSION(object) (G_TYPE_CHECK_INSTANCE_TYPE ((object), SHARED_AUTH_TYPE_SESSION))

typedef struct _SharedAuthSession SharedAuthSession;
typedef struct _SharedAuthSessionClass SharedAuthSessionClass;

/**
 * SharedAuthSession:
 *
 * Who is signed in to an app, and to all apps of its access group.
 *
 * A session waits for nothing when it is made: its state is %SHARED_AUTH_STATE_UNKNOWN at first. It delivers what
 * it hears, from this process and others, on the thread-default main context that it was made on: the properties
 * change there, with all values of one announcement at once. They may be read on any thread, but for
 * #SharedAuthSession:accounts. An async call returns on the thread-default main context of its caller.
 *
 * Sessions of one app id, app name, project and store share what they do in this process. The options of the first
 * of them count: one with other options is %SHARED_AUTH_STATE_UNAVAILABLE, with
 * %SHARED_AUTH_ERROR_ALREADY_CONFIGURED.
 *
 * A call that is cancelled before it began changes nothing. One that is cancelled later may be done all the same,
 * and then returns what it did; where nothing was done, it fails with %G_IO_ERROR_CANCELLED.
 *
 * Do not use it in a child of fork() without exec(), nor in a process that has the Swift modules of SharedAuth too.
 */
struct _SharedAuthSession
{
  /*< private >*/
  GObject parent_instance;
  gpointer core;
};

struct _SharedAuthSessionClass
{
  /*< private >*/
  GObjectClass parent_class;
};

GType shared_auth_session_get_type (void) G_GNUC_CONST;

/**
 * SharedAuthSession:app-id:
 *
 * The app's id in reverse DNS form, the same as that of its #GApplication and its desktop file. %NULL: that of the
 * default #GApplication; without one, that of the Flatpak or Snap, or the name of the program.
 */
/**
 * SharedAuthSession:team-id:
 *
 * The team id, with which every access group begins that does not begin with `group.`.
 */
/**
 * SharedAuthSession:app-name:
 *
 * The name that tells apart several places of one app; `default` unless it is set.
 */
/**
 * SharedAuthSession:project:
 *
 * The project. Apps of different projects share nothing; with Firebase, it is the API key.
 */
/**
 * SharedAuthSession:store:
 *
 * Where users are stored.
 */
/**
 * SharedAuthSession:key-file:
 *
 * The file with the key of encrypted files.
 */
/**
 * SharedAuthSession:access-groups:
 *
 * The access groups that the app declares; any other is refused. Without any, every well-formed one is accepted.
 */
/**
 * SharedAuthSession:identity-provider:
 *
 * Who signs users in. %NULL: nobody can sign in, but stored users are read.
 */
/**
 * SharedAuthSession:keeps-other-users:
 *
 * Whether a sign-in keeps the users who are signed in already, in addition to the new current one.
 */
/**
 * SharedAuthSession:refreshes-tokens:
 *
 * Whether the ID token is refreshed before it expires, once the app has asked for one.
 */
/**
 * SharedAuthSession:timeout:
 *
 * How long a call may wait for the keyring, in milliseconds.
 */
/**
 * SharedAuthSession:identity-timeout:
 *
 * How long a call may wait for the identity provider, in milliseconds.
 */
/**
 * SharedAuthSession:state:
 *
 * What is known of the current user.
 */
/**
 * SharedAuthSession:user:
 *
 * The current user; %NULL in every state but %SHARED_AUTH_STATE_SIGNED_IN.
 */
/**
 * SharedAuthSession:access-group:
 *
 * The access group in use; %NULL: the app's own place.
 */
/**
 * SharedAuthSession:accounts:
 *
 * The users of the access group in use, as a list of #SharedAuthUser. It may be used on the main context of the
 * session alone.
 */
/**
 * SharedAuthSession:error:
 *
 * Why it is not known who is signed in; %NULL if it is.
 */
/**
 * SharedAuthSession::announced:
 * @session: the session
 * @user: (nullable): the user who is signed in now
 *
 * Emitted once it is known who is signed in, and whenever that is another user or nobody: each change once, in
 * order, and after the properties have notified of it.
 */
/**
 * SharedAuthSession::open-address:
 * @session: the session
 * @address: the address of the sign-in page
 *
 * Emitted for an address that a person is to see, in their browser. Without a handler that returns %TRUE, the
 * desktop opens it.
 *
 * Returns: whether the address was opened
 */
/**
 * SharedAuthSession::device-code:
 * @session: the session
 * @code: the code to show, as it is
 * @address: the page to enter it in
 * @complete_address: (nullable): the page with the code filled in, for a code to scan
 *
 * Emitted by shared_auth_session_sign_in_with_device_code_async(), with what is to be shown to the person.
 */

/**
 * shared_auth_session_new:
 * @app_id: (nullable): the app's id
 * @identity_provider: (nullable): who signs users in
 *
 * Makes a session of the default project, in the desktop's keyring. For other options, use g_object_new().
 *
 * Returns: (transfer full): the session
 */
SharedAuthSession *shared_auth_session_new (const char *app_id, SharedAuthIdentityProvider *identity_provider);

/**
 * shared_auth_session_get_state:
 * @session: a session
 *
 * Returns what is known of the current user.
 *
 * Returns: the state
 */
SharedAuthState shared_auth_session_get_state (SharedAuthSession *session);

/**
 * shared_auth_session_dup_user:
 * @session: a session
 *
 * Returns the current user.
 *
 * Returns: (transfer full) (nullable): the user
 */
SharedAuthUser *shared_auth_session_dup_user (SharedAuthSession *session);

/**
 * shared_auth_session_dup_access_group:
 * @session: a session
 *
 * Returns the access group in use.
 *
 * Returns: (transfer full) (nullable): the group
 */
char *shared_auth_session_dup_access_group (SharedAuthSession *session);

/**
 * shared_auth_session_get_accounts:
 * @session: a session
 *
 * Returns the users of the access group in use.
 *
 * Returns: (transfer none): a list of #SharedAuthUser
 */
GListModel *shared_auth_session_get_accounts (SharedAuthSession *session);

/**
 * shared_auth_session_dup_error:
 * @session: a session
 *
 * Returns why it is not known who is signed in.
 *
 * Returns: (transfer full) (nullable): the error
 */
GError *shared_auth_session_dup_error (SharedAuthSession *session);

#ifndef __swift__
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SharedAuthSession, g_object_unref)
#endif

G_END_DECLS
