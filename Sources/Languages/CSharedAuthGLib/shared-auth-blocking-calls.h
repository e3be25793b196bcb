#pragma once

#if !defined(SHARED_AUTH_GLIB_INSIDE) && !defined(SHARED_AUTH_COMPILATION)
#error "Only <sharedauth-glib.h> can be included directly."
#endif

#include <gio/gio.h>

#include "shared-auth-session.h"
#include "shared-auth-user.h"

G_BEGIN_DECLS

/**
 * shared_auth_session_load_sync:
 * @session: a [class@Session]
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Loads the current user. Blocks until that is done. See [method@Session.load_async], and
 * [class@Session] about blocking calls.
 *
 * Returns: (transfer full) (nullable): the current user, or %NULL if no user is signed in or, with
 * @error set, on failure
 *
 * Since: 0.1
 */
SharedAuthUser *shared_auth_session_load_sync (SharedAuthSession *session,
                                               GCancellable *cancellable, GError **error);

/**
 * shared_auth_session_get_id_token_sync:
 * @session: a [class@Session]
 * @force_refresh: whether to request a new token even if the present one is valid
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Gets a valid ID token of the current user. Blocks until that is done. See
 * [method@Session.get_id_token_async], and [class@Session] about blocking calls.
 *
 * Returns: (transfer full): the ID token, or %NULL with @error set on failure
 *
 * Since: 0.1
 */
char *shared_auth_session_get_id_token_sync (SharedAuthSession *session, gboolean force_refresh,
                                             GCancellable *cancellable, GError **error);

/**
 * shared_auth_session_get_access_token_sync:
 * @session: a [class@Session]
 * @scopes: (nullable) (array zero-terminated=1): the scopes that the token must have, one in each
 *   element; %NULL for the scopes that were granted at the sign-in
 * @force_refresh: whether to request a new token even if the present one is valid
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Gets a valid access token of the current user. Blocks until that is done. See
 * [method@Session.get_access_token_async], and [class@Session] about blocking calls.
 *
 * Returns: (transfer full): the access token, or %NULL with @error set on failure
 *
 * Since: 0.1
 */
char *shared_auth_session_get_access_token_sync (SharedAuthSession *session,
                                                 const char * const *scopes, gboolean force_refresh,
                                                 GCancellable *cancellable, GError **error);

/**
 * shared_auth_session_sign_out_sync:
 * @session: a [class@Session]
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Signs the current user out, in every app of the access group. Blocks until that is done. See
 * [method@Session.sign_out_async], and [class@Session] about blocking calls.
 *
 * Returns: %TRUE on success, %FALSE with @error set on failure
 *
 * Since: 0.1
 */
gboolean shared_auth_session_sign_out_sync (SharedAuthSession *session, GCancellable *cancellable,
                                            GError **error);

/**
 * shared_auth_user_get_id_token_sync:
 * @user: a [class@User]
 * @force_refresh: whether to request a new token even if the present one is valid
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Gets a valid ID token of the user, who need not be the current one. Blocks until that is done.
 * See [method@User.get_id_token_async], and [class@Session] about blocking calls.
 *
 * Returns: (transfer full): the ID token, or %NULL with @error set on failure
 *
 * Since: 0.1
 */
char *shared_auth_user_get_id_token_sync (SharedAuthUser *user, gboolean force_refresh,
                                          GCancellable *cancellable, GError **error);

/**
 * shared_auth_user_get_access_token_sync:
 * @user: a [class@User]
 * @scopes: (nullable) (array zero-terminated=1): the scopes that the token must have, one in each
 *   element; %NULL for the scopes that were granted at the sign-in
 * @force_refresh: whether to request a new token even if the present one is valid
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Gets a valid access token of the user, who need not be the current one. Blocks until that is
 * done. See [method@User.get_access_token_async], and [class@Session] about blocking calls.
 *
 * Returns: (transfer full): the access token, or %NULL with @error set on failure
 *
 * Since: 0.1
 */
char *shared_auth_user_get_access_token_sync (SharedAuthUser *user, const char * const *scopes,
                                              gboolean force_refresh, GCancellable *cancellable,
                                              GError **error);

/**
 * shared_auth_user_sign_out_sync:
 * @user: a [class@User]
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Signs the user out of the slot in use, in every app of the access group. Blocks until that is
 * done. See [method@User.sign_out_async], and [class@Session] about blocking calls.
 *
 * Returns: %TRUE on success, %FALSE with @error set on failure
 *
 * Since: 0.1
 */
gboolean shared_auth_user_sign_out_sync (SharedAuthUser *user, GCancellable *cancellable,
                                         GError **error);

G_END_DECLS
