#pragma once

#if !defined(SHARED_AUTH_GLIB_INSIDE) && !defined(SHARED_AUTH_COMPILATION)
#error "Only <sharedauth-glib.h> can be included directly."
#endif

#include <gio/gio.h>

#include "shared-auth-session.h"

G_BEGIN_DECLS

/**
 * SharedAuthSession:app-id:
 *
 * The app id in reverse DNS form, the same as the id of the app's [class@Gio.Application] and of
 * its desktop file. If %NULL, the first that exists of: the id of the default
 * [class@Gio.Application], the Flatpak id, the environment variable `SHAREDAUTH_APP_ID`, the name
 * of the snap. The property then has that id.
 *
 * If there is none of them, the session has the state %SHARED_AUTH_STATE_UNAVAILABLE, with the error
 * %SHARED_AUTH_ERROR_INVALID_APP_IDENTIFIER. The name of the program is not used: all scripts of a
 * language would share the id of its interpreter.
 *
 * Since: 0.1
 */
/**
 * SharedAuthSession:team-id:
 *
 * The team id. If it is set, every access group must start with it or with `group.`.
 *
 * Since: 0.1
 */
/**
 * SharedAuthSession:app-name:
 *
 * The name that distinguishes independent sessions of one app: each name has its own slots and its
 * own choice of access group. The name is `default` if it is not set.
 *
 * Since: 0.1
 */
/**
 * SharedAuthSession:project:
 *
 * The project; with Firebase, the API key. Apps of different projects share nothing. The project is
 * `default` if it is not set.
 *
 * Since: 0.1
 */
/**
 * SharedAuthSession:store:
 *
 * The store of the users.
 *
 * Since: 0.1
 */
/**
 * SharedAuthSession:key-file:
 *
 * The path of the file that contains the key of the encrypted files.
 * %SHARED_AUTH_STORE_ENCRYPTED_FILES requires it.
 *
 * Since: 0.1
 */
/**
 * SharedAuthSession:access-groups:
 *
 * The access groups that the app declares. Any other group is rejected; if %NULL, any well-formed
 * group is accepted. With an empty list, or a malformed group in it, the session has the state
 * %SHARED_AUTH_STATE_UNAVAILABLE, with the error %SHARED_AUTH_ERROR_INVALID_ACCESS_GROUP.
 *
 * Since: 0.1
 */
/**
 * SharedAuthSession:own-user-policy:
 *
 * The policy for a user in the app's own slot when the session joins
 * [property@Session:access-group].
 *
 * Since: 0.1
 */
/**
 * SharedAuthSession:identity-provider:
 *
 * The identity provider, which signs users in. If %NULL, stored users can be read, and users can
 * sign in only with [method@Session.sign_in_with_tokens_async].
 *
 * Since: 0.1
 */
/**
 * SharedAuthSession:keeps-other-users:
 *
 * Whether a sign-in keeps the users who are already signed in, in addition to the new current user.
 * If %FALSE, the new user replaces the current one and the one that this session shows, and their
 * sessions are revoked. Accounts that this session never showed stay. All apps of a group should use
 * the same value.
 *
 * Since: 0.1
 */
/**
 * SharedAuthSession:refreshes-tokens:
 *
 * Whether the current user's ID token is refreshed before it expires, once the app has requested
 * one.
 *
 * Since: 0.1
 */
/**
 * SharedAuthSession:timeout:
 *
 * The time limit of a call for the keyring, in milliseconds.
 *
 * Since: 0.1
 */
/**
 * SharedAuthSession:identity-timeout:
 *
 * The time limit of a call for the identity provider, in milliseconds.
 *
 * Since: 0.1
 */

/**
 * shared_auth_session_dup_app_id:
 * @session: a [class@Session]
 *
 * Gets the app id. See [property@Session:app-id].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_session_dup_app_id (SharedAuthSession *session);

/**
 * shared_auth_session_dup_team_id:
 * @session: a [class@Session]
 *
 * Gets the team id. See [property@Session:team-id].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_session_dup_team_id (SharedAuthSession *session);

/**
 * shared_auth_session_dup_app_name:
 * @session: a [class@Session]
 *
 * Gets the name that distinguishes independent sessions of the app. See [property@Session:app-
 * name].
 *
 * Returns: (transfer full): the text
 *
 * Since: 0.1
 */
char *shared_auth_session_dup_app_name (SharedAuthSession *session);

/**
 * shared_auth_session_dup_project:
 * @session: a [class@Session]
 *
 * Gets the project. See [property@Session:project].
 *
 * Returns: (transfer full): the text
 *
 * Since: 0.1
 */
char *shared_auth_session_dup_project (SharedAuthSession *session);

/**
 * shared_auth_session_get_store:
 * @session: a [class@Session]
 *
 * Gets the store of the users. See [property@Session:store].
 *
 * Returns: the value
 *
 * Since: 0.1
 */
SharedAuthStore shared_auth_session_get_store (SharedAuthSession *session);

/**
 * shared_auth_session_dup_key_file:
 * @session: a [class@Session]
 *
 * Gets the path of the file that contains the key of the encrypted files. See
 * [property@Session:key-file].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_session_dup_key_file (SharedAuthSession *session);

/**
 * shared_auth_session_dup_access_groups:
 * @session: a [class@Session]
 *
 * Gets the access groups that the app declares. See [property@Session:access-groups].
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): the list
 *
 * Since: 0.1
 */
char **shared_auth_session_dup_access_groups (SharedAuthSession *session);

/**
 * shared_auth_session_get_own_user_policy:
 * @session: a [class@Session]
 *
 * Gets the policy for a user in the app's own slot. See [property@Session:own-user-policy].
 *
 * Returns: the value
 *
 * Since: 0.1
 */
SharedAuthOwnUserPolicy shared_auth_session_get_own_user_policy (SharedAuthSession *session);

/**
 * shared_auth_session_dup_identity_provider:
 * @session: a [class@Session]
 *
 * Gets the identity provider. See [property@Session:identity-provider].
 *
 * Returns: (transfer full) (nullable): the object
 *
 * Since: 0.1
 */
SharedAuthIdentityProvider *shared_auth_session_dup_identity_provider (SharedAuthSession *session);

/**
 * shared_auth_session_get_keeps_other_users:
 * @session: a [class@Session]
 *
 * Returns whether a sign-in keeps the users who are already signed in. See
 * [property@Session:keeps-other-users].
 *
 * Returns: %TRUE if so
 *
 * Since: 0.1
 */
gboolean shared_auth_session_get_keeps_other_users (SharedAuthSession *session);

/**
 * shared_auth_session_get_refreshes_tokens:
 * @session: a [class@Session]
 *
 * Returns whether the current user's ID token is refreshed before it expires. See
 * [property@Session:refreshes-tokens].
 *
 * Returns: %TRUE if so
 *
 * Since: 0.1
 */
gboolean shared_auth_session_get_refreshes_tokens (SharedAuthSession *session);

/**
 * shared_auth_session_get_timeout:
 * @session: a [class@Session]
 *
 * Gets the time limit of a call for the keyring, in milliseconds. See [property@Session:timeout].
 *
 * Returns: the number
 *
 * Since: 0.1
 */
guint shared_auth_session_get_timeout (SharedAuthSession *session);

/**
 * shared_auth_session_get_identity_timeout:
 * @session: a [class@Session]
 *
 * Gets the time limit of a call for the identity provider, in milliseconds. See
 * [property@Session:identity-timeout].
 *
 * Returns: the number
 *
 * Since: 0.1
 */
guint shared_auth_session_get_identity_timeout (SharedAuthSession *session);

G_END_DECLS
