#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define SHARED_AUTH_TYPE_USER (shared_auth_user_get_type ())
#define SHARED_AUTH_USER(object) (G_TYPE_CHECK_INSTANCE_CAST ((object), SHARED_AUTH_TYPE_USER, SharedAuthUser))
#define SHARED_AUTH_IS_USER(object) (G_TYPE_CHECK_INSTANCE_TYPE ((object), SHARED_AUTH_TYPE_USER))

typedef struct _SharedAuthUser SharedAuthUser;
typedef struct _SharedAuthUserClass SharedAuthUserClass;

/**
 * SharedAuthUser:
 *
 * A user. In one session, one account is one object while somebody holds it: when another app gives the user a new
 * name, this object notifies of it, on the main context that the session was made on.
 *
 * Its properties may be read on any thread. A user that a call of a session gave keeps to what was known then,
 * unless it is one of the users of the access group in use.
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
 * The user's id, unique for an issuer.
 */
/**
 * SharedAuthUser:issuer:
 *
 * Who issued the account; %NULL if that is not known.
 */
/**
 * SharedAuthUser:provider-id:
 *
 * How the user signs in, such as `password` or `google.com`; `SharedAuth` for anonymous users.
 */
/**
 * SharedAuthUser:email:
 *
 * The e-mail address.
 */
/**
 * SharedAuthUser:display-name:
 *
 * The name shown to people.
 */
/**
 * SharedAuthUser:photo-uri:
 *
 * Where the photo is.
 */
/**
 * SharedAuthUser:phone-number:
 *
 * The phone number.
 */
/**
 * SharedAuthUser:is-anonymous:
 *
 * Whether the user has no credential of their own.
 */
/**
 * SharedAuthUser:is-email-verified:
 *
 * Whether the e-mail address was verified.
 */

/**
 * shared_auth_user_get_uid:
 * @user: a user
 *
 * Returns the user's id, which never changes.
 *
 * Returns: (transfer none): the id
 */
const char *shared_auth_user_get_uid (SharedAuthUser *user);

/**
 * shared_auth_user_dup_email:
 * @user: a user
 *
 * Returns the e-mail address.
 *
 * Returns: (transfer full) (nullable): the address
 */
char *shared_auth_user_dup_email (SharedAuthUser *user);

/**
 * shared_auth_user_dup_display_name:
 * @user: a user
 *
 * Returns the name shown to people.
 *
 * Returns: (transfer full) (nullable): the name
 */
char *shared_auth_user_dup_display_name (SharedAuthUser *user);

#ifndef __swift__
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SharedAuthUser, g_object_unref)
#endif

G_END_DECLS
