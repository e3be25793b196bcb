#pragma once

#if !defined(SHARED_AUTH_GLIB_INSIDE) && !defined(SHARED_AUTH_COMPILATION)
#error "Only <sharedauth-glib.h> can be included directly."
#endif

#include "shared-auth-session.h"

G_BEGIN_DECLS

/**
 * shared_auth_session_load_async:
 * @session: a [class@Session]
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @callback: (scope async) (closure user_data): the function to call when the operation is complete
 * @user_data: the data to pass to @callback
 *
 * Waits until the current user is known. If the user cannot be read, fails with the same error as
 * [property@Session:error], such as %SHARED_AUTH_ERROR_KEYRING_LOCKED.
 *
 * Call [method@Session.load_finish] in @callback to get the result.
 *
 * Since: 0.1
 */
void shared_auth_session_load_async (SharedAuthSession *session, GCancellable *cancellable,
                                     GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_session_load_finish:
 * @session: a [class@Session]
 * @result: the [iface@Gio.AsyncResult] that was passed to the callback
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Finishes an operation that was started with [method@Session.load_async].
 *
 * Returns: (transfer full) (nullable): the current user, or %NULL if no user is signed in or, with
 * @error set, on failure
 *
 * Since: 0.1
 */
SharedAuthUser *shared_auth_session_load_finish (SharedAuthSession *session, GAsyncResult *result,
                                                 GError **error);

/**
 * shared_auth_session_use_access_group_async:
 * @session: a [class@Session]
 * @access_group: (nullable): the access group, or %NULL for the app's own slot
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @callback: (scope async) (closure user_data): the function to call when the operation is complete
 * @user_data: the data to pass to @callback
 *
 * Switches to an access group, or to the app's own slot. The user who is stored there becomes
 * current. The app keeps its choice when it is restarted, unless its sessions are created with
 * [property@Session:access-group]. If the switch fails, for example because the keyring is locked,
 * the app stays where it was.
 *
 * Switching from the app's own slot to a group deletes the user of the own slot. To move the user
 * to the group, call [method@Session.migrate_async] instead.
 *
 * Call [method@Session.use_access_group_finish] in @callback to get the result.
 *
 * Since: 0.1
 */
void shared_auth_session_use_access_group_async (SharedAuthSession *session,
                                                 const char *access_group,
                                                 GCancellable *cancellable,
                                                 GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_session_use_access_group_finish:
 * @session: a [class@Session]
 * @result: the [iface@Gio.AsyncResult] that was passed to the callback
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Finishes an operation that was started with [method@Session.use_access_group_async].
 *
 * Returns: %TRUE on success, %FALSE with @error set on failure
 *
 * Since: 0.1
 */
gboolean shared_auth_session_use_access_group_finish (SharedAuthSession *session,
                                                      GAsyncResult *result, GError **error);

/**
 * shared_auth_session_get_stored_user_async:
 * @session: a [class@Session]
 * @access_group: (nullable): the access group, or %NULL for the app's own slot
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @callback: (scope async) (closure user_data): the function to call when the operation is complete
 * @user_data: the data to pass to @callback
 *
 * Gets the user stored in an access group, or in the app's own slot, without switching to it.
 *
 * Call [method@Session.get_stored_user_finish] in @callback to get the result.
 *
 * Since: 0.1
 */
void shared_auth_session_get_stored_user_async (SharedAuthSession *session,
                                                const char *access_group, GCancellable *cancellable,
                                                GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_session_get_stored_user_finish:
 * @session: a [class@Session]
 * @result: the [iface@Gio.AsyncResult] that was passed to the callback
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Finishes an operation that was started with [method@Session.get_stored_user_async].
 *
 * Returns: (transfer full) (nullable): the stored user, or %NULL if no user is stored or, with
 * @error set, on failure
 *
 * Since: 0.1
 */
SharedAuthUser *shared_auth_session_get_stored_user_finish (SharedAuthSession *session,
                                                            GAsyncResult *result, GError **error);

/**
 * shared_auth_session_update_current_user_async:
 * @session: a [class@Session]
 * @user: a user, such as the result of [method@Session.get_stored_user_finish]
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @callback: (scope async) (closure user_data): the function to call when the operation is complete
 * @user_data: the data to pass to @callback
 *
 * Makes a user current, and stores the user in the slot in use. If the user cannot be stored, the
 * call fails, but the user is current in this process.
 *
 * Call [method@Session.update_current_user_finish] in @callback to get the result.
 *
 * Since: 0.1
 */
void shared_auth_session_update_current_user_async (SharedAuthSession *session,
                                                    SharedAuthUser *user, GCancellable *cancellable,
                                                    GAsyncReadyCallback callback,
                                                    gpointer user_data);

/**
 * shared_auth_session_update_current_user_finish:
 * @session: a [class@Session]
 * @result: the [iface@Gio.AsyncResult] that was passed to the callback
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Finishes an operation that was started with [method@Session.update_current_user_async].
 *
 * Returns: %TRUE on success, %FALSE with @error set on failure
 *
 * Since: 0.1
 */
gboolean shared_auth_session_update_current_user_finish (SharedAuthSession *session,
                                                         GAsyncResult *result, GError **error);

/**
 * shared_auth_session_migrate_async:
 * @session: a [class@Session]
 * @access_group: (nullable): the access group, or %NULL for the app's own slot
 * @policy: the policy if another user is current there
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @callback: (scope async) (closure user_data): the function to call when the operation is complete
 * @user_data: the data to pass to @callback
 *
 * Moves the current user to an access group, or to the app's own slot, and switches to it. At every
 * moment of the move, the user is stored in at least one of them.
 *
 * Call [method@Session.migrate_finish] in @callback to get the result.
 *
 * Since: 0.1
 */
void shared_auth_session_migrate_async (SharedAuthSession *session, const char *access_group,
                                        SharedAuthMigrationPolicy policy, GCancellable *cancellable,
                                        GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_session_migrate_finish:
 * @session: a [class@Session]
 * @result: the [iface@Gio.AsyncResult] that was passed to the callback
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Finishes an operation that was started with [method@Session.migrate_async].
 *
 * Returns: %TRUE on success, %FALSE with @error set on failure
 *
 * Since: 0.1
 */
gboolean shared_auth_session_migrate_finish (SharedAuthSession *session, GAsyncResult *result,
                                             GError **error);

/**
 * shared_auth_session_switch_account_async:
 * @session: a [class@Session]
 * @user: a user in [property@Session:accounts]
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @callback: (scope async) (closure user_data): the function to call when the operation is complete
 * @user_data: the data to pass to @callback
 *
 * Makes another user of the slot in use current, in every app of the access group.
 *
 * Call [method@Session.switch_account_finish] in @callback to get the result.
 *
 * Since: 0.1
 */
void shared_auth_session_switch_account_async (SharedAuthSession *session, SharedAuthUser *user,
                                               GCancellable *cancellable,
                                               GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_session_switch_account_finish:
 * @session: a [class@Session]
 * @result: the [iface@Gio.AsyncResult] that was passed to the callback
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Finishes an operation that was started with [method@Session.switch_account_async].
 *
 * Returns: %TRUE on success, %FALSE with @error set on failure
 *
 * Since: 0.1
 */
gboolean shared_auth_session_switch_account_finish (SharedAuthSession *session,
                                                    GAsyncResult *result, GError **error);

/**
 * shared_auth_session_get_id_token_async:
 * @session: a [class@Session]
 * @force_refresh: whether to request a new token even if the present one is valid
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @callback: (scope async) (closure user_data): the function to call when the operation is complete
 * @user_data: the data to pass to @callback
 *
 * Gets a valid ID token of the current user. Unless @force_refresh is %TRUE, this is the present
 * token if it does not expire soon; otherwise a new one is requested.
 *
 * Call [method@Session.get_id_token_finish] in @callback to get the result.
 *
 * Since: 0.1
 */
void shared_auth_session_get_id_token_async (SharedAuthSession *session, gboolean force_refresh,
                                             GCancellable *cancellable,
                                             GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_session_get_id_token_finish:
 * @session: a [class@Session]
 * @result: the [iface@Gio.AsyncResult] that was passed to the callback
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Finishes an operation that was started with [method@Session.get_id_token_async].
 *
 * Returns: (transfer full): the ID token, or %NULL with @error set on failure
 *
 * Since: 0.1
 */
char *shared_auth_session_get_id_token_finish (SharedAuthSession *session, GAsyncResult *result,
                                               GError **error);

/**
 * shared_auth_session_get_access_token_async:
 * @session: a [class@Session]
 * @scopes: (nullable) (array zero-terminated=1): the scopes that the token must have, one in each
 *   element; %NULL for the scopes that were granted at the sign-in
 * @force_refresh: whether to request a new token even if the present one is valid
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @callback: (scope async) (closure user_data): the function to call when the operation is complete
 * @user_data: the data to pass to @callback
 *
 * Gets a valid access token of the current user. Fails with
 * %SHARED_AUTH_ERROR_OPERATION_NOT_ALLOWED if the identity provider issues no access token for
 * these scopes, if the list is empty, or if an element is not one scope.
 *
 * Call [method@Session.get_access_token_finish] in @callback to get the result.
 *
 * Since: 0.1
 */
void shared_auth_session_get_access_token_async (SharedAuthSession *session,
                                                 const char * const *scopes, gboolean force_refresh,
                                                 GCancellable *cancellable,
                                                 GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_session_get_access_token_finish:
 * @session: a [class@Session]
 * @result: the [iface@Gio.AsyncResult] that was passed to the callback
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Finishes an operation that was started with [method@Session.get_access_token_async].
 *
 * Returns: (transfer full): the access token, or %NULL with @error set on failure
 *
 * Since: 0.1
 */
char *shared_auth_session_get_access_token_finish (SharedAuthSession *session, GAsyncResult *result,
                                                   GError **error);

/**
 * shared_auth_session_unlock_async:
 * @session: a [class@Session]
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @callback: (scope async) (closure user_data): the function to call when the operation is complete
 * @user_data: the data to pass to @callback
 *
 * Prompts the user to unlock the keyring. The user has two minutes.
 *
 * Call [method@Session.unlock_finish] in @callback to get the result.
 *
 * Since: 0.1
 */
void shared_auth_session_unlock_async (SharedAuthSession *session, GCancellable *cancellable,
                                       GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_session_unlock_finish:
 * @session: a [class@Session]
 * @result: the [iface@Gio.AsyncResult] that was passed to the callback
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Finishes an operation that was started with [method@Session.unlock_async].
 *
 * Returns: %TRUE on success, %FALSE with @error set on failure
 *
 * Since: 0.1
 */
gboolean shared_auth_session_unlock_finish (SharedAuthSession *session, GAsyncResult *result,
                                            GError **error);

/**
 * shared_auth_session_reload_async:
 * @session: a [class@Session]
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @callback: (scope async) (closure user_data): the function to call when the operation is complete
 * @user_data: the data to pass to @callback
 *
 * Fetches the current user's profile from the identity provider, and stores it for every app of the
 * access group.
 *
 * Call [method@Session.reload_finish] in @callback to get the result.
 *
 * Since: 0.1
 */
void shared_auth_session_reload_async (SharedAuthSession *session, GCancellable *cancellable,
                                       GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_session_reload_finish:
 * @session: a [class@Session]
 * @result: the [iface@Gio.AsyncResult] that was passed to the callback
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Finishes an operation that was started with [method@Session.reload_async].
 *
 * Returns: %TRUE on success, %FALSE with @error set on failure
 *
 * Since: 0.1
 */
gboolean shared_auth_session_reload_finish (SharedAuthSession *session, GAsyncResult *result,
                                            GError **error);

/**
 * shared_auth_session_delete_user_async:
 * @session: a [class@Session]
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @callback: (scope async) (closure user_data): the function to call when the operation is complete
 * @user_data: the data to pass to @callback
 *
 * Deletes the current user's account at the identity provider, and signs the user out.
 *
 * Call [method@Session.delete_user_finish] in @callback to get the result.
 *
 * Since: 0.1
 */
void shared_auth_session_delete_user_async (SharedAuthSession *session, GCancellable *cancellable,
                                            GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_session_delete_user_finish:
 * @session: a [class@Session]
 * @result: the [iface@Gio.AsyncResult] that was passed to the callback
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Finishes an operation that was started with [method@Session.delete_user_async].
 *
 * Returns: %TRUE on success, %FALSE with @error set on failure
 *
 * Since: 0.1
 */
gboolean shared_auth_session_delete_user_finish (SharedAuthSession *session, GAsyncResult *result,
                                                 GError **error);

G_END_DECLS
