#pragma once

#if !defined(SHARED_AUTH_GLIB_INSIDE) && !defined(SHARED_AUTH_COMPILATION)
#error "Only <sharedauth-glib.h> can be included directly."
#endif

#include "shared-auth-session.h"

G_BEGIN_DECLS

/**
 * shared_auth_session_sign_in_anonymously_async:
 * @session: a [class@Session]
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @callback: (scope async) (closure user_data): the function to call when the operation is complete
 * @user_data: the data to pass to @callback
 *
 * Signs in anonymously. If the current user is already anonymous, that user stays current and is
 * the result.
 *
 * Call [method@Session.sign_in_anonymously_finish] in @callback to get the result.
 *
 * Since: 0.1
 */
void shared_auth_session_sign_in_anonymously_async (SharedAuthSession *session,
                                                    GCancellable *cancellable,
                                                    GAsyncReadyCallback callback,
                                                    gpointer user_data);

/**
 * shared_auth_session_sign_in_anonymously_finish:
 * @session: a [class@Session]
 * @result: the [iface@Gio.AsyncResult] that was passed to the callback
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Finishes an operation that was started with [method@Session.sign_in_anonymously_async].
 *
 * Returns: (transfer full): the signed-in user, or %NULL with @error set on failure
 *
 * Since: 0.1
 */
SharedAuthUser *shared_auth_session_sign_in_anonymously_finish (SharedAuthSession *session,
                                                                GAsyncResult *result,
                                                                GError **error);

/**
 * shared_auth_session_sign_in_with_password_async:
 * @session: a [class@Session]
 * @email: the e-mail address
 * @password: the password
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @callback: (scope async) (closure user_data): the function to call when the operation is complete
 * @user_data: the data to pass to @callback
 *
 * Signs in with an e-mail address and a password.
 *
 * Call [method@Session.sign_in_with_password_finish] in @callback to get the result.
 *
 * Since: 0.1
 */
void shared_auth_session_sign_in_with_password_async (SharedAuthSession *session, const char *email,
                                                      const char *password,
                                                      GCancellable *cancellable,
                                                      GAsyncReadyCallback callback,
                                                      gpointer user_data);

/**
 * shared_auth_session_sign_in_with_password_finish:
 * @session: a [class@Session]
 * @result: the [iface@Gio.AsyncResult] that was passed to the callback
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Finishes an operation that was started with [method@Session.sign_in_with_password_async].
 *
 * Returns: (transfer full): the signed-in user, or %NULL with @error set on failure
 *
 * Since: 0.1
 */
SharedAuthUser *shared_auth_session_sign_in_with_password_finish (SharedAuthSession *session,
                                                                  GAsyncResult *result,
                                                                  GError **error);

/**
 * shared_auth_session_create_user_async:
 * @session: a [class@Session]
 * @email: the e-mail address
 * @password: the password
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @callback: (scope async) (closure user_data): the function to call when the operation is complete
 * @user_data: the data to pass to @callback
 *
 * Creates an account with an e-mail address and a password, and signs in.
 *
 * Call [method@Session.create_user_finish] in @callback to get the result.
 *
 * Since: 0.1
 */
void shared_auth_session_create_user_async (SharedAuthSession *session, const char *email,
                                            const char *password, GCancellable *cancellable,
                                            GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_session_create_user_finish:
 * @session: a [class@Session]
 * @result: the [iface@Gio.AsyncResult] that was passed to the callback
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Finishes an operation that was started with [method@Session.create_user_async].
 *
 * Returns: (transfer full): the signed-in user, or %NULL with @error set on failure
 *
 * Since: 0.1
 */
SharedAuthUser *shared_auth_session_create_user_finish (SharedAuthSession *session,
                                                        GAsyncResult *result, GError **error);

/**
 * shared_auth_session_sign_in_with_browser_async:
 * @session: a [class@Session]
 * @provider_id: (nullable): with a [class@FirebaseProvider], the id of the service to sign in at,
 *   such as `google.com`; otherwise %NULL
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @callback: (scope async) (closure user_data): the function to call when the operation is complete
 * @user_data: the data to pass to @callback
 *
 * Lets the user sign in in the browser, within five minutes. To show the address in another way
 * than in the desktop's default browser, handle [signal@Session::open-address].
 *
 * Call [method@Session.sign_in_with_browser_finish] in @callback to get the result.
 *
 * Since: 0.1
 */
void shared_auth_session_sign_in_with_browser_async (SharedAuthSession *session,
                                                     const char *provider_id,
                                                     GCancellable *cancellable,
                                                     GAsyncReadyCallback callback,
                                                     gpointer user_data);

/**
 * shared_auth_session_sign_in_with_browser_finish:
 * @session: a [class@Session]
 * @result: the [iface@Gio.AsyncResult] that was passed to the callback
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Finishes an operation that was started with [method@Session.sign_in_with_browser_async].
 *
 * Returns: (transfer full): the signed-in user, or %NULL with @error set on failure
 *
 * Since: 0.1
 */
SharedAuthUser *shared_auth_session_sign_in_with_browser_finish (SharedAuthSession *session,
                                                                 GAsyncResult *result,
                                                                 GError **error);

/**
 * shared_auth_session_handle_redirect:
 * @session: a [class@Session]
 * @address: the whole address that the browser was redirected to
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Passes on the redirect of a running [method@Session.sign_in_with_browser_async] by hand, for
 * example because the browser is on another machine, where its last page cannot be opened: the user
 * copies the address of that page. The address is checked like a redirect that the browser brings.
 * After an error, the sign-in goes on waiting.
 *
 * Returns: %TRUE if the sign-in goes on with it, %FALSE with @error set on failure
 *
 * Since: 0.1
 */
gboolean shared_auth_session_handle_redirect (SharedAuthSession *session, const char *address,
                                              GError **error);

/**
 * shared_auth_session_handle_uri:
 * @session: a [class@Session]
 * @uri: the URI
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Passes on a URI of the app's own scheme, with which the desktop has opened the app at the end of a
 * running [method@Session.sign_in_with_browser_async]. Call it in [signal@Gio.Application::open], which
 * the app gets with %G_APPLICATION_HANDLES_OPEN. The app's desktop file lists the scheme, as
 * `MimeType=x-scheme-handler/com.example.mail;`, and has `%u` in its `Exec`.
 *
 * The identity provider must have the URI as its redirect-uri, without the query that the server adds.
 * The URI is checked like a redirect to a port of this machine; any program can open the app with one.
 * After an error, the sign-in goes on waiting. A URI that is no redirect of a sign-in fails with
 * %SHARED_AUTH_ERROR_INVALID_CREDENTIAL, or with %SHARED_AUTH_ERROR_OPERATION_NOT_ALLOWED if none
 * waits.
 *
 * Returns: %TRUE if the sign-in goes on with it, %FALSE with @error set on failure
 *
 * Since: 0.1
 */
gboolean shared_auth_session_handle_uri (SharedAuthSession *session, const char *uri,
                                         GError **error);

/**
 * shared_auth_session_sign_in_with_device_code_async:
 * @session: a [class@Session]
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @callback: (scope async) (closure user_data): the function to call when the operation is complete
 * @user_data: the data to pass to @callback
 *
 * Lets the user sign in with a code, in a browser on any device, within five minutes.
 * [signal@Session::device-code] passes the code to show.
 *
 * Call [method@Session.sign_in_with_device_code_finish] in @callback to get the result.
 *
 * Since: 0.1
 */
void shared_auth_session_sign_in_with_device_code_async (SharedAuthSession *session,
                                                         GCancellable *cancellable,
                                                         GAsyncReadyCallback callback,
                                                         gpointer user_data);

/**
 * shared_auth_session_sign_in_with_device_code_finish:
 * @session: a [class@Session]
 * @result: the [iface@Gio.AsyncResult] that was passed to the callback
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Finishes an operation that was started with [method@Session.sign_in_with_device_code_async].
 *
 * Returns: (transfer full): the signed-in user, or %NULL with @error set on failure
 *
 * Since: 0.1
 */
SharedAuthUser *shared_auth_session_sign_in_with_device_code_finish (SharedAuthSession *session,
                                                                     GAsyncResult *result,
                                                                     GError **error);

/**
 * shared_auth_session_sign_in_with_tokens_async:
 * @session: a [class@Session]
 * @uid: the user's id
 * @id_token: (nullable): the ID token; if the server issues none, such as a server with OAuth 2.0
 *   only, any token that [method@Session.get_id_token_async] is to return
 * @refresh_token: (nullable): the refresh token; %NULL if the session cannot be refreshed
 * @expires_at: the time at which @id_token expires, in seconds since 1970; %G_MAXINT64 if it does
 *   not expire
 * @issuer: (nullable): the issuer of the account; %NULL for the issuer of the session's identity
 *   provider or, if the session has none, for the issuer in the ID token
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @callback: (scope async) (closure user_data): the function to call when the operation is complete
 * @user_data: the data to pass to @callback
 *
 * Signs in a user with tokens that the app has obtained itself, such as from its own server. The
 * user has only a uid until [method@Session.reload_async] gets the profile.
 *
 * Call [method@Session.sign_in_with_tokens_finish] in @callback to get the result.
 *
 * Since: 0.1
 */
void shared_auth_session_sign_in_with_tokens_async (SharedAuthSession *session, const char *uid,
                                                    const char *id_token, const char *refresh_token,
                                                    gint64 expires_at, const char *issuer,
                                                    GCancellable *cancellable,
                                                    GAsyncReadyCallback callback,
                                                    gpointer user_data);

/**
 * shared_auth_session_sign_in_with_tokens_finish:
 * @session: a [class@Session]
 * @result: the [iface@Gio.AsyncResult] that was passed to the callback
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Finishes an operation that was started with [method@Session.sign_in_with_tokens_async].
 *
 * Returns: (transfer full): the signed-in user, or %NULL with @error set on failure
 *
 * Since: 0.1
 */
SharedAuthUser *shared_auth_session_sign_in_with_tokens_finish (SharedAuthSession *session,
                                                                GAsyncResult *result,
                                                                GError **error);

/**
 * shared_auth_session_sign_out_async:
 * @session: a [class@Session]
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @callback: (scope async) (closure user_data): the function to call when the operation is complete
 * @user_data: the data to pass to @callback
 *
 * Signs the current user out, in every app of the access group. If no user is signed in, the call
 * succeeds and changes nothing.
 *
 * The call also revokes the session at the identity provider. If that fails, the user is signed out
 * and the call fails with %SHARED_AUTH_ERROR_SESSION_NOT_REVOKED.
 *
 * Call [method@Session.sign_out_finish] in @callback to get the result.
 *
 * Since: 0.1
 */
void shared_auth_session_sign_out_async (SharedAuthSession *session, GCancellable *cancellable,
                                         GAsyncReadyCallback callback, gpointer user_data);

/**
 * shared_auth_session_sign_out_finish:
 * @session: a [class@Session]
 * @result: the [iface@Gio.AsyncResult] that was passed to the callback
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Finishes an operation that was started with [method@Session.sign_out_async].
 *
 * Returns: %TRUE on success, %FALSE with @error set on failure
 *
 * Since: 0.1
 */
gboolean shared_auth_session_sign_out_finish (SharedAuthSession *session, GAsyncResult *result,
                                              GError **error);

/**
 * shared_auth_session_link_with_password_async:
 * @session: a [class@Session]
 * @email: the e-mail address
 * @password: the password
 * @cancellable: (nullable): a [class@Gio.Cancellable], or %NULL
 * @callback: (scope async) (closure user_data): the function to call when the operation is complete
 * @user_data: the data to pass to @callback
 *
 * Adds an e-mail address and a password to the current user's account, as a sign-in method. The
 * user's id stays the same.
 *
 * Call [method@Session.link_with_password_finish] in @callback to get the result.
 *
 * Since: 0.1
 */
void shared_auth_session_link_with_password_async (SharedAuthSession *session, const char *email,
                                                   const char *password, GCancellable *cancellable,
                                                   GAsyncReadyCallback callback,
                                                   gpointer user_data);

/**
 * shared_auth_session_link_with_password_finish:
 * @session: a [class@Session]
 * @result: the [iface@Gio.AsyncResult] that was passed to the callback
 * @error: the return location for a [struct@GLib.Error], or %NULL
 *
 * Finishes an operation that was started with [method@Session.link_with_password_async].
 *
 * Returns: (transfer full): the current user, or %NULL with @error set on failure
 *
 * Since: 0.1
 */
SharedAuthUser *shared_auth_session_link_with_password_finish (SharedAuthSession *session,
                                                               GAsyncResult *result,
                                                               GError **error);

G_END_DECLS
