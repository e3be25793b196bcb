#pragma once

#if !defined(SHARED_AUTH_GLIB_INSIDE) && !defined(SHARED_AUTH_COMPILATION)
#error "Only <sharedauth-glib.h> can be included directly."
#endif

#include <gio/gio.h>

G_BEGIN_DECLS

#define SHARED_AUTH_TYPE_USER (shared_auth_user_get_type ())

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
 *
 * Since: 0.1
 */
G_DECLARE_FINAL_TYPE (SharedAuthUser, shared_auth_user, SHARED_AUTH, USER, GObject)

/**
 * SharedAuthUser:uid:
 *
 * The user's id, unique per issuer.
 *
 * Since: 0.1
 */
/**
 * SharedAuthUser:issuer:
 *
 * The issuer of the account; %NULL if it is not known. That of an [class@OpenIDProvider] has the client
 * id: see [property@Session:user-issuer].
 *
 * Since: 0.1
 */
/**
 * SharedAuthUser:provider-id:
 *
 * The id of the first sign-in method, such as `password` or `google.com`; `SharedAuth` if none is
 * known, as for anonymous users.
 *
 * Since: 0.1
 */
/**
 * SharedAuthUser:email:
 *
 * The e-mail address.
 *
 * Since: 0.1
 */
/**
 * SharedAuthUser:display-name:
 *
 * The name to display.
 *
 * Since: 0.1
 */
/**
 * SharedAuthUser:photo-uri:
 *
 * The URI of the user's photo.
 *
 * Since: 0.1
 */
/**
 * SharedAuthUser:phone-number:
 *
 * The phone number.
 *
 * Since: 0.1
 */
/**
 * SharedAuthUser:is-anonymous:
 *
 * Whether the user is anonymous: signed in without a credential.
 *
 * Since: 0.1
 */
/**
 * SharedAuthUser:is-email-verified:
 *
 * Whether the e-mail address is verified.
 *
 * Since: 0.1
 */
/**
 * SharedAuthUser:session-failure:
 *
 * The reason why the user must sign in again, with the code %SHARED_AUTH_ERROR_REQUIRES_RECENT_LOGIN;
 * %NULL as long as the session works, or might. The user stays signed in, and nothing is erased.
 *
 * Since: 0.1
 */

/**
 * shared_auth_user_get_uid:
 * @user: a [class@User]
 *
 * Gets the user's id, which never changes.
 *
 * Returns: (transfer none): the id
 *
 * Since: 0.1
 */
const char *shared_auth_user_get_uid (SharedAuthUser *user);

/**
 * shared_auth_user_dup_email:
 * @user: a [class@User]
 *
 * Gets the e-mail address.
 *
 * Returns: (transfer full) (nullable): the address
 *
 * Since: 0.1
 */
char *shared_auth_user_dup_email (SharedAuthUser *user);

/**
 * shared_auth_user_dup_display_name:
 * @user: a [class@User]
 *
 * Gets the name to display.
 *
 * Returns: (transfer full) (nullable): the name
 *
 * Since: 0.1
 */
char *shared_auth_user_dup_display_name (SharedAuthUser *user);

/**
 * shared_auth_user_dup_issuer:
 * @user: a [class@User]
 *
 * Gets the issuer of the account. See [property@User:issuer].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_user_dup_issuer (SharedAuthUser *user);

/**
 * shared_auth_user_dup_provider_id:
 * @user: a [class@User]
 *
 * Gets the id of the first sign-in method. See [property@User:provider-id].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_user_dup_provider_id (SharedAuthUser *user);

/**
 * shared_auth_user_dup_photo_uri:
 * @user: a [class@User]
 *
 * Gets the URI of the user's photo. See [property@User:photo-uri].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_user_dup_photo_uri (SharedAuthUser *user);

/**
 * shared_auth_user_dup_phone_number:
 * @user: a [class@User]
 *
 * Gets the phone number. See [property@User:phone-number].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_user_dup_phone_number (SharedAuthUser *user);

/**
 * shared_auth_user_get_is_anonymous:
 * @user: a [class@User]
 *
 * Returns whether the user is anonymous. See [property@User:is-anonymous].
 *
 * Returns: %TRUE if so
 *
 * Since: 0.1
 */
gboolean shared_auth_user_get_is_anonymous (SharedAuthUser *user);

/**
 * shared_auth_user_get_is_email_verified:
 * @user: a [class@User]
 *
 * Returns whether the e-mail address is verified. See [property@User:is-email-verified].
 *
 * Returns: %TRUE if so
 *
 * Since: 0.1
 */
gboolean shared_auth_user_get_is_email_verified (SharedAuthUser *user);

/**
 * shared_auth_user_dup_session_failure:
 * @user: a [class@User]
 *
 * Gets the reason why the user must sign in again. See [property@User:session-failure].
 *
 * Returns: (transfer full) (nullable): the error
 *
 * Since: 0.1
 */
GError *shared_auth_user_dup_session_failure (SharedAuthUser *user);

G_END_DECLS
