#pragma once

#include "shared-auth-session.h"

G_BEGIN_DECLS

/**
 * shared_auth_session_load_async:
 * @session: a session
 * @cancellable: (nullable): cancels the call
 * @callback: (scope async) (closure user_data): called with the result
 * @user_data: data for @callback
 *
 * Waits until it is known who is signed in. Fails as the state says if it cannot be known, such as with
 * %SHARED_AUTH_ERROR_KEYRING_LOCKED.
 */
void shared_auth_session_load_async (SharedAuthSession *session, GCancellable *cancellable,
                                     GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_session_load_finish:
 * @session: a session
 * @result: what the callback got
 * @error: return location for an error
 *
 * Returns the result of shared_auth_session_load_async().
 *
 * Returns: (transfer full) (nullable): the current user, or %NULL if nobody is signed in
 */
SharedAuthUser *shared_auth_session_load_finish (SharedAuthSession *session, GAsyncResult *result, GError **error);

/**
 * shared_auth_session_use_access_group_async:
 * @session: a session
 * @access_group: (nullable): the group, or %NULL for the app's own place
 * @cancellable: (nullable): cancels the call
 * @callback: (scope async) (closure user_data): called with the result
 * @user_data: data for @callback
 *
 * Switches to an access group, whose user becomes current, or back to the app's own place. Of a switch from there
 * to a group, the user who is left is forgotten; to bring them along, use shared_auth_session_migrate_async().
 */
void shared_auth_session_use_access_group_async (SharedAuthSession *session, const char *access_group,
                                                 GCancellable *cancellable, GAsyncReadyCallback callback,
                                                 gpointer user_data);

/**
 * shared_auth_session_use_access_group_finish:
 * @session: a session
 * @result: what the callback got
 * @error: return location for an error
 *
 * Returns the result of shared_auth_session_use_access_group_async().
 *
 * Returns: whether the group is in use
 */
gboolean shared_auth_session_use_access_group_finish (SharedAuthSession *session, GAsyncResult *result,
                                                      GError **error);

/**
 * shared_auth_session_get_stored_user_async:
 * @session: a session
 * @access_group: (nullable): the group, or %NULL for the app's own place
 * @cancellable: (nullable): cancels the call
 * @callback: (scope async) (closure user_data): called with the result
 * @user_data: data for @callback
 *
 * Looks who is signed in to an access group, or to the app's own place, without switching there.
 */
void shared_auth_session_get_stored_user_async (SharedAuthSession *session, const char *access_group,
                                                GCancellable *cancellable, GAsyncReadyCallback callback,
                                                gpointer user_data);

/**
 * shared_auth_session_get_stored_user_finish:
 * @session: a session
 * @result: what the callback got
 * @error: return location for an error
 *
 * Returns the result of shared_auth_session_get_stored_user_async().
 *
 * Returns: (transfer full) (nullable): the user; %NULL if there is none
 */
SharedAuthUser *shared_auth_session_get_stored_user_finish (SharedAuthSession *session, GAsyncResult *result,
                                                            GError **error);

/**
 * shared_auth_session_update_current_user_async:
 * @session: a session
 * @user: a user, such as one that shared_auth_session_get_stored_user_finish() gave
 * @cancellable: (nullable): cancels the call
 * @callback: (scope async) (closure user_data): called with the result
 * @user_data: data for @callback
 *
 * Makes a user current, and stores them in the access group in use.
 */
void shared_auth_session_update_current_user_async (SharedAuthSession *session, SharedAuthUser *user,
                                                    GCancellable *cancellable, GAsyncReadyCallback callback,
                                                    gpointer user_data);

/**
 * shared_auth_session_update_current_user_finish:
 * @session: a session
 * @result: what the callback got
 * @error: return location for an error
 *
 * Returns the result of shared_auth_session_update_current_user_async().
 *
 * Returns: whether the user is current and stored
 */
gboolean shared_auth_session_update_current_user_finish (SharedAuthSession *session, GAsyncResult *result,
                                                         GError **error);

/**
 * shared_auth_session_migrate_async:
 * @session: a session
 * @access_group: (nullable): the group, or %NULL for the app's own place
 * @policy: what to do if another user is current there
 * @cancellable: (nullable): cancels the call
 * @callback: (scope async) (closure user_data): called with the result
 * @user_data: data for @callback
 *
 * Moves the current user to an access group, or to the app's own place, and switches there. The user is stored at
 * every moment.
 */
void shared_auth_session_migrate_async (SharedAuthSession *session, const char *access_group,
                                        SharedAuthMigrationPolicy policy, GCancellable *cancellable,
                                        GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_session_migrate_finish:
 * @session: a session
 * @result: what the callback got
 * @error: return location for an error
 *
 * Returns the result of shared_auth_session_migrate_async().
 *
 * Returns: whether the app is there
 */
gboolean shared_auth_session_migrate_finish (SharedAuthSession *session, GAsyncResult *result, GError **error);

/**
 * shared_auth_session_switch_account_async:
 * @session: a session
 * @user: one of #SharedAuthSession:accounts
 * @cancellable: (nullable): cancels the call
 * @callback: (scope async) (closure user_data): called with the result
 * @user_data: data for @callback
 *
 * Makes another user of the access group in use current, in every app of the group.
 */
void shared_auth_session_switch_account_async (SharedAuthSession *session, SharedAuthUser *user,
                                               GCancellable *cancellable, GAsyncReadyCallback callback,
                                               gpointer user_data);

/**
 * shared_auth_session_switch_account_finish:
 * @session: a session
 * @result: what the callback got
 * @error: return location for an error
 *
 * Returns the result of shared_auth_session_switch_account_async().
 *
 * Returns: whether the user is current
 */
gboolean shared_auth_session_switch_account_finish (SharedAuthSession *session, GAsyncResult *result, GError **error);

/**
 * shared_auth_session_get_id_token_async:
 * @session: a session
 * @force_refresh: whether to ask for a new one in any case
 * @cancellable: (nullable): cancels the call
 * @callback: (scope async) (closure user_data): called with the result
 * @user_data: data for @callback
 *
 * Returns a valid ID token of the current user: the present one, or a new one if that expires soon.
 */
void shared_auth_session_get_id_token_async (SharedAuthSession *session, gboolean force_refresh,
                                             GCancellable *cancellable, GAsyncReadyCallback callback,
                                             gpointer user_data);

/**
 * shared_auth_session_get_id_token_finish:
 * @session: a session
 * @result: what the callback got
 * @error: return location for an error
 *
 * Returns the result of shared_auth_session_get_id_token_async().
 *
 * Returns: (transfer full): the token
 */
char *shared_auth_session_get_id_token_finish (SharedAuthSession *session, GAsyncResult *result, GError **error);

/**
 * shared_auth_session_get_access_token_async:
 * @session: a session
 * @scopes: (nullable) (array zero-terminated=1): what it is to be good for; %NULL: what was granted at the sign-in
 * @force_refresh: whether to ask for a new one in any case
 * @cancellable: (nullable): cancels the call
 * @callback: (scope async) (closure user_data): called with the result
 * @user_data: data for @callback
 *
 * Returns a valid access token of the current user.
 */
void shared_auth_session_get_access_token_async (SharedAuthSession *session, const char * const *scopes,
                                                 gboolean force_refresh, GCancellable *cancellable,
                                                 GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_session_get_access_token_finish:
 * @session: a session
 * @result: what the callback got
 * @error: return location for an error
 *
 * Returns the result of shared_auth_session_get_access_token_async().
 *
 * Returns: (transfer full): the token
 */
char *shared_auth_session_get_access_token_finish (SharedAuthSession *session, GAsyncResult *result, GError **error);

/**
 * shared_auth_session_unlock_async:
 * @session: a session
 * @cancellable: (nullable): cancels the call
 * @callback: (scope async) (closure user_data): called with the result
 * @user_data: data for @callback
 *
 * Has the keyring ask the person to unlock it. The person has two minutes.
 */
void shared_auth_session_unlock_async (SharedAuthSession *session, GCancellable *cancellable,
                                       GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_session_unlock_finish:
 * @session: a session
 * @result: what the callback got
 * @error: return location for an error
 *
 * Returns the result of shared_auth_session_unlock_async().
 *
 * Returns: whether it is unlocked
 */
gboolean shared_auth_session_unlock_finish (SharedAuthSession *session, GAsyncResult *result, GError **error);

/**
 * shared_auth_session_reload_async:
 * @session: a session
 * @cancellable: (nullable): cancels the call
 * @callback: (scope async) (closure user_data): called with the result
 * @user_data: data for @callback
 *
 * Asks the identity provider who the current user is, and stores the answer for every app of the group.
 */
void shared_auth_session_reload_async (SharedAuthSession *session, GCancellable *cancellable,
                                       GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_session_reload_finish:
 * @session: a session
 * @result: what the callback got
 * @error: return location for an error
 *
 * Returns the result of shared_auth_session_reload_async().
 *
 * Returns: whether it was stored
 */
gboolean shared_auth_session_reload_finish (SharedAuthSession *session, GAsyncResult *result, GError **error);

/**
 * shared_auth_session_delete_user_async:
 * @session: a session
 * @cancellable: (nullable): cancels the call
 * @callback: (scope async) (closure user_data): called with the result
 * @user_data: data for @callback
 *
 * Deletes the account of the current user at the identity provider, and signs the user out.
 */
void shared_auth_session_delete_user_async (SharedAuthSession *session, GCancellable *cancellable,
                                            GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_session_delete_user_finish:
 * @session: a session
 * @result: what the callback got
 * @error: return location for an error
 *
 * Returns the result of shared_auth_session_delete_user_async().
 *
 * Returns: whether it was deleted
 */
gboolean shared_auth_session_delete_user_finish (SharedAuthSession *session, GAsyncResult *result, GError **error);

G_END_DECLS
