#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define SHARED_AUTH_TYPE_USER (shared_auth_user_get_type ())
#define SHARED_AUTH_USER(object) \
  (G_TYPE_CHECK_INSTANCE_CAST ((object), SHARED_AUTH_TYPE_USER, SharedAuthUser))
#define SHARED_AUTH_IS_USER(object) (G_TYPE_CHECK_INSTANCE_TYPE ((object), SHARED_AUTH_TYPE_USER))

typedef struct _SharedAuthUser SharedAuthUser;
typedef struct _SharedAuthUserClass SharedAuthUserClass;

/**
 * SharedAuthUser:
 *
 * A user. As long as the app holds a reference to it, a session uses the same object for the same
 * account: if another app changes the user's name, the object notifies, in the main context in
 * which the session was created.
 *
 * The calls of a user concern this account, whether or not it is the current one, and make no other
 * user current. They need the session that returned the user, and fail with
 * %SHARED_AUTH_ERROR_APP_DELETED after its end, or with %SHARED_AUTH_ERROR_NULL_USER if no session
 * returned the user. Otherwise they behave as the calls of [class@Session] with the same names.
 *
 * The properties can be read on any thread. The result of [method@Session.get_stored_user_finish]
 * is not updated, and neither is a user who is no longer stored in the slot in use.
 */
struct _SharedAuthUser
{
  /*< private >*/
  GObject parent_instance;
  gpointer core;
};

struct _SharedAuthUserClass
{
  /*< private >*/
  GObjectClass parent_class;
};

GType shared_auth_user_get_type (void) G_GNUC_CONST;

/**
 * SharedAuthUser:uid:
 *
 * The user's id, unique per issuer.
 */
/**
 * SharedAuthUser:issuer:
 *
 * The issuer of the account; %NULL if it is not known.
 */
/**
 * SharedAuthUser:provider-id:
 *
 * The id of the first sign-in method, such as `password` or `google.com`; `SharedAuth` if none is
 * known, as for anonymous users.
 */
/**
 * SharedAuthUser:email:
 *
 * The e-mail address.
 */
/**
 * SharedAuthUser:display-name:
 *
 * The name to display.
 */
/**
 * SharedAuthUser:photo-uri:
 *
 * The URI of the user's photo.
 */
/**
 * SharedAuthUser:phone-number:
 *
 * The phone number.
 */
/**
 * SharedAuthUser:is-anonymous:
 *
 * Whether the user is anonymous: signed in without a credential.
 */
/**
 * SharedAuthUser:is-email-verified:
 *
 * Whether the e-mail address is verified.
 */
/**
 * SharedAuthUser:session-failure:
 *
 * The reason why the user must sign in again, with the code %SHARED_AUTH_ERROR_REQUIRES_RECENT_LOGIN;
 * %NULL as long as the session works, or might. The user stays signed in, and nothing is erased.
 */

/**
 * shared_auth_user_get_uid:
 * @user: a [class@User]
 *
 * Gets the user's id, which never changes.
 *
 * Returns: (transfer none): the id
 */
const char *shared_auth_user_get_uid (SharedAuthUser *user);

/**
 * shared_auth_user_dup_email:
 * @user: a [class@User]
 *
 * Gets the e-mail address.
 *
 * Returns: (transfer full) (nullable): the address
 */
char *shared_auth_user_dup_email (SharedAuthUser *user);

/**
 * shared_auth_user_dup_display_name:
 * @user: a [class@User]
 *
 * Gets the name to display.
 *
 * Returns: (transfer full) (nullable): the name
 */
char *shared_auth_user_dup_display_name (SharedAuthUser *user);

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

#ifndef __swift__
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SharedAuthUser, g_object_unref)
#endif

G_END_DECLS
