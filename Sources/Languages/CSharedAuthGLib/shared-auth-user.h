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

#ifndef __swift__
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SharedAuthUser, g_object_unref)
#endif

G_END_DECLS
