#pragma once

#if !defined(SHARED_AUTH_GLIB_INSIDE) && !defined(SHARED_AUTH_COMPILATION)
#error "Only <sharedauth-glib.h> can be included directly."
#endif

#include <gio/gio.h>

#include "shared-auth-user.h"

G_BEGIN_DECLS

/**
 * shared_auth_user_get_id_token_async:
 * @user: a [class@User]
 * @force_refresh: whether to request a new token even if the present one is valid
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @callback: (scope async) (closure user_data): the function to call when the operation is complete
 * @user_data: the data to pass to @callback
 *
 * Gets a valid ID token of the user, who need not be the current one. Unless @force_refresh is %TRUE,
 * this is the present token if it does not expire soon; otherwise a new one is requested. It fails
 * with %SHARED_AUTH_ERROR_ISSUER_MISMATCH if a new one is needed and the session's identity provider
 * is not that of the user's issuer.
 *
 * Call [method@User.get_id_token_finish] in @callback to get the result.
 *
 * Since: 0.1
 */
void shared_auth_user_get_id_token_async (SharedAuthUser *user, gboolean force_refresh,
                                          GCancellable *cancellable, GAsyncReadyCallback callback,
                                          gpointer user_data);

/**
 * shared_auth_user_get_id_token_finish:
 * @user: a [class@User]
 * @result: the [iface@Gio.AsyncResult] that was passed to the callback
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Finishes an operation that was started with [method@User.get_id_token_async].
 *
 * Returns: (transfer full): the ID token, or %NULL with @error set on failure
 *
 * Since: 0.1
 */
char *shared_auth_user_get_id_token_finish (SharedAuthUser *user, GAsyncResult *result,
                                            GError **error);

/**
 * shared_auth_user_get_access_token_async:
 * @user: a [class@User]
 * @scopes: (nullable) (array zero-terminated=1): the scopes that the token must have, one in each
 *   element; %NULL for the scopes that were granted at the sign-in
 * @force_refresh: whether to request a new token even if the present one is valid
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @callback: (scope async) (closure user_data): the function to call when the operation is complete
 * @user_data: the data to pass to @callback
 *
 * Gets a valid access token of the user, who need not be the current one. It fails as
 * [method@Session.get_access_token_async] and [method@User.get_id_token_async].
 *
 * Call [method@User.get_access_token_finish] in @callback to get the result.
 *
 * Since: 0.1
 */
void shared_auth_user_get_access_token_async (SharedAuthUser *user, const char * const *scopes,
                                              gboolean force_refresh, GCancellable *cancellable,
                                              GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_user_get_access_token_finish:
 * @user: a [class@User]
 * @result: the [iface@Gio.AsyncResult] that was passed to the callback
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Finishes an operation that was started with [method@User.get_access_token_async].
 *
 * Returns: (transfer full): the access token, or %NULL with @error set on failure
 *
 * Since: 0.1
 */
char *shared_auth_user_get_access_token_finish (SharedAuthUser *user, GAsyncResult *result,
                                                GError **error);

/**
 * shared_auth_user_reload_async:
 * @user: a [class@User]
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @callback: (scope async) (closure user_data): the function to call when the operation is complete
 * @user_data: the data to pass to @callback
 *
 * Fetches the user's profile from the identity provider, and stores it for every app of the access
 * group.
 *
 * Call [method@User.reload_finish] in @callback to get the result.
 *
 * Since: 0.1
 */
void shared_auth_user_reload_async (SharedAuthUser *user, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_user_reload_finish:
 * @user: a [class@User]
 * @result: the [iface@Gio.AsyncResult] that was passed to the callback
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Finishes an operation that was started with [method@User.reload_async].
 *
 * Returns: %TRUE on success, %FALSE with @error set on failure
 *
 * Since: 0.1
 */
gboolean shared_auth_user_reload_finish (SharedAuthUser *user, GAsyncResult *result,
                                         GError **error);

/**
 * shared_auth_user_sign_out_async:
 * @user: a [class@User]
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @callback: (scope async) (closure user_data): the function to call when the operation is complete
 * @user_data: the data to pass to @callback
 *
 * Signs the user out of the slot in use, in every app of the access group, and revokes the session at
 * the identity provider. If the user was current, no user is current afterwards. A user who is not
 * stored in the slot in use stays as before.
 *
 * If the user is signed out but the session is not revoked, the call fails with
 * %SHARED_AUTH_ERROR_SESSION_NOT_REVOKED.
 *
 * Call [method@User.sign_out_finish] in @callback to get the result.
 *
 * Since: 0.1
 */
void shared_auth_user_sign_out_async (SharedAuthUser *user, GCancellable *cancellable,
                                      GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_user_sign_out_finish:
 * @user: a [class@User]
 * @result: the [iface@Gio.AsyncResult] that was passed to the callback
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Finishes an operation that was started with [method@User.sign_out_async].
 *
 * Returns: %TRUE on success, %FALSE with @error set on failure
 *
 * Since: 0.1
 */
gboolean shared_auth_user_sign_out_finish (SharedAuthUser *user, GAsyncResult *result,
                                           GError **error);

/**
 * shared_auth_user_delete_account_async:
 * @user: a [class@User]
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @callback: (scope async) (closure user_data): the function to call when the operation is complete
 * @user_data: the data to pass to @callback
 *
 * Deletes the user's account at the identity provider, and signs the user out.
 *
 * Call [method@User.delete_account_finish] in @callback to get the result.
 *
 * Since: 0.1
 */
void shared_auth_user_delete_account_async (SharedAuthUser *user, GCancellable *cancellable,
                                            GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_user_delete_account_finish:
 * @user: a [class@User]
 * @result: the [iface@Gio.AsyncResult] that was passed to the callback
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Finishes an operation that was started with [method@User.delete_account_async].
 *
 * Returns: %TRUE on success, %FALSE with @error set on failure
 *
 * Since: 0.1
 */
gboolean shared_auth_user_delete_account_finish (SharedAuthUser *user, GAsyncResult *result,
                                                 GError **error);

/**
 * shared_auth_user_link_with_password_async:
 * @user: a [class@User]
 * @email: the e-mail address
 * @password: the password
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @callback: (scope async) (closure user_data): the function to call when the operation is complete
 * @user_data: the data to pass to @callback
 *
 * Adds an e-mail address and a password to the user's account, as a sign-in method. The user's
 * properties change, and an anonymous user is no longer anonymous.
 *
 * Call [method@User.link_with_password_finish] in @callback to get the result.
 *
 * Since: 0.1
 */
void shared_auth_user_link_with_password_async (SharedAuthUser *user, const char *email,
                                                const char *password, GCancellable *cancellable,
                                                GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_user_link_with_password_finish:
 * @user: a [class@User]
 * @result: the [iface@Gio.AsyncResult] that was passed to the callback
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Finishes an operation that was started with [method@User.link_with_password_async].
 *
 * Returns: %TRUE on success, %FALSE with @error set on failure
 *
 * Since: 0.1
 */
gboolean shared_auth_user_link_with_password_finish (SharedAuthUser *user, GAsyncResult *result,
                                                     GError **error);

G_END_DECLS
