#pragma once

#include "shared-auth-session.h"

G_BEGIN_DECLS

/**
 * shared_auth_session_sign_in_anonymously_async:
 * @session: a session
 * @cancellable: (nullable): cancels the call
 * @callback: (scope async) (closure user_data): called with the result
 * @user_data: data for @callback
 *
 * Signs in somebody without a name. An anonymous user who is current already stays.
 */
void shared_auth_session_sign_in_anonymously_async (SharedAuthSession *session, GCancellable *cancellable,
                                                    GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_session_sign_in_anonymously_finish:
 * @session: a session
 * @result: what the callback got
 * @error: return location for an error
 *
 * Returns the result of shared_auth_session_sign_in_anonymously_async().
 *
 * Returns: (transfer full): the user
 */
SharedAuthUser *shared_auth_session_sign_in_anonymously_finish (SharedAuthSession *session, GAsyncResult *result,
                                                                GError **error);

/**
 * shared_auth_session_sign_in_with_password_async:
 * @session: a session
 * @email: the address
 * @password: the password
 * @cancellable: (nullable): cancels the call
 * @callback: (scope async) (closure user_data): called with the result
 * @user_data: data for @callback
 *
 * Signs in with an e-mail address and a password.
 */
void shared_auth_session_sign_in_with_password_async (SharedAuthSession *session, const char *email,
                                                      const char *password, GCancellable *cancellable,
                                                      GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_session_sign_in_with_password_finish:
 * @session: a session
 * @result: what the callback got
 * @error: return location for an error
 *
 * Returns the result of shared_auth_session_sign_in_with_password_async().
 *
 * Returns: (transfer full): the user
 */
SharedAuthUser *shared_auth_session_sign_in_with_password_finish (SharedAuthSession *session, GAsyncResult *result,
                                                                  GError **error);

/**
 * shared_auth_session_create_user_async:
 * @session: a session
 * @email: the address
 * @password: the password
 * @cancellable: (nullable): cancels the call
 * @callback: (scope async) (closure user_data): called with the result
 * @user_data: data for @callback
 *
 * Makes an account of an e-mail address and a password, and signs in.
 */
void shared_auth_session_create_user_async (SharedAuthSession *session, const char *email, const char *password,
                                            GCancellable *cancellable, GAsyncReadyCallback callback,
                                            gpointer user_data);

/**
 * shared_auth_session_create_user_finish:
 * @session: a session
 * @result: what the callback got
 * @error: return location for an error
 *
 * Returns the result of shared_auth_session_create_user_async().
 *
 * Returns: (transfer full): the user
 */
SharedAuthUser *shared_auth_session_create_user_finish (SharedAuthSession *session, GAsyncResult *result,
                                                        GError **error);

/**
 * shared_auth_session_sign_in_with_browser_async:
 * @session: a session
 * @provider_id: (nullable): at a Firebase provider the service to sign in at, such as `google.com`; else %NULL
 * @cancellable: (nullable): cancels the call
 * @callback: (scope async) (closure user_data): called with the result
 * @user_data: data for @callback
 *
 * Has the person sign in, in their browser. For another way to show them the address than the desktop's, handle
 * #SharedAuthSession::open-address.
 */
void shared_auth_session_sign_in_with_browser_async (SharedAuthSession *session, const char *provider_id,
                                                     GCancellable *cancellable, GAsyncReadyCallback callback,
                                                     gpointer user_data);

/**
 * shared_auth_session_sign_in_with_browser_finish:
 * @session: a session
 * @result: what the callback got
 * @error: return location for an error
 *
 * Returns the result of shared_auth_session_sign_in_with_browser_async().
 *
 * Returns: (transfer full): the user
 */
SharedAuthUser *shared_auth_session_sign_in_with_browser_finish (SharedAuthSession *session, GAsyncResult *result,
                                                                 GError **error);

/**
 * shared_auth_session_sign_in_with_device_code_async:
 * @session: a session
 * @cancellable: (nullable): cancels the call
 * @callback: (scope async) (closure user_data): called with the result
 * @user_data: data for @callback
 *
 * Has the person sign in with a code, in a browser on any machine. #SharedAuthSession::device-code gives what is
 * to be shown.
 */
void shared_auth_session_sign_in_with_device_code_async (SharedAuthSession *session, GCancellable *cancellable,
                                                         GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_session_sign_in_with_device_code_finish:
 * @session: a session
 * @result: what the callback got
 * @error: return location for an error
 *
 * Returns the result of shared_auth_session_sign_in_with_device_code_async().
 *
 * Returns: (transfer full): the user
 */
SharedAuthUser *shared_auth_session_sign_in_with_device_code_finish (SharedAuthSession *session,
                                                                     GAsyncResult *result, GError **error);

/**
 * shared_auth_session_sign_in_with_tokens_async:
 * @session: a session
 * @uid: the user's id
 * @id_token: (nullable): the ID token
 * @refresh_token: (nullable): the refresh token; %NULL if the session cannot be refreshed
 * @expires_at: when the ID token expires, in seconds since 1970
 * @issuer: (nullable): who issued the account; %NULL: the session's identity provider
 * @cancellable: (nullable): cancels the call
 * @callback: (scope async) (closure user_data): called with the result
 * @user_data: data for @callback
 *
 * Signs in a user whose tokens the app has obtained itself, such as from a server of its own.
 */
void shared_auth_session_sign_in_with_tokens_async (SharedAuthSession *session, const char *uid,
                                                    const char *id_token, const char *refresh_token,
                                                    gint64 expires_at, const char *issuer, GCancellable *cancellable,
                                                    GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_session_sign_in_with_tokens_finish:
 * @session: a session
 * @result: what the callback got
 * @error: return location for an error
 *
 * Returns the result of shared_auth_session_sign_in_with_tokens_async().
 *
 * Returns: (transfer full): the user
 */
SharedAuthUser *shared_auth_session_sign_in_with_tokens_finish (SharedAuthSession *session, GAsyncResult *result,
                                                                GError **error);

/**
 * shared_auth_session_sign_out_async:
 * @session: a session
 * @cancellable: (nullable): cancels the call
 * @callback: (scope async) (closure user_data): called with the result
 * @user_data: data for @callback
 *
 * Signs the current user out, in every app of the access group.
 */
void shared_auth_session_sign_out_async (SharedAuthSession *session, GCancellable *cancellable,
                                         GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_session_sign_out_finish:
 * @session: a session
 * @result: what the callback got
 * @error: return location for an error
 *
 * Returns the result of shared_auth_session_sign_out_async().
 *
 * Returns: whether nobody is signed in now
 */
gboolean shared_auth_session_sign_out_finish (SharedAuthSession *session, GAsyncResult *result, GError **error);

/**
 * shared_auth_session_link_with_password_async:
 * @session: a session
 * @email: the address
 * @password: the password
 * @cancellable: (nullable): cancels the call
 * @callback: (scope async) (closure user_data): called with the result
 * @user_data: data for @callback
 *
 * Gives the current user an e-mail address and a password to sign in with. The user keeps their id.
 */
void shared_auth_session_link_with_password_async (SharedAuthSession *session, const char *email,
                                                   const char *password, GCancellable *cancellable,
                                                   GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_session_link_with_password_finish:
 * @session: a session
 * @result: what the callback got
 * @error: return location for an error
 *
 * Returns the result of shared_auth_session_link_with_password_async().
 *
 * Returns: (transfer full): the user
 */
SharedAuthUser *shared_auth_session_link_with_password_finish (SharedAuthSession *session, GAsyncResult *result,
                                                               GError **error);

G_END_DECLS
