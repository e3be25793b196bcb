#pragma once

#if !defined(SHARED_AUTH_GLIB_INSIDE) && !defined(SHARED_AUTH_COMPILATION)
#error "Only <sharedauth-glib.h> can be included directly."
#endif

#include <gio/gio.h>

#include "shared-auth-provider.h"
#include "shared-auth-session-enums.h"
#include "shared-auth-user.h"

G_BEGIN_DECLS

#define SHARED_AUTH_TYPE_SESSION (shared_auth_session_get_type ())
#ifndef __GI_SCANNER__
#define SHARED_AUTH_SESSION(object) \
  (G_TYPE_CHECK_INSTANCE_CAST ((object), SHARED_AUTH_TYPE_SESSION, SharedAuthSession))
#define SHARED_AUTH_IS_SESSION(object) \
  (G_TYPE_CHECK_INSTANCE_TYPE ((object), SHARED_AUTH_TYPE_SESSION))
#endif

typedef struct _SharedAuthSession SharedAuthSession;
typedef struct _SharedAuthSessionClass SharedAuthSessionClass;

/**
 * SharedAuthSession:
 *
 * The sign-in state of an app, which all apps of its access group share. An app that uses no access
 * group keeps its users in its own slot.
 *
 * An app that shares its users creates its sessions with [property@Session:access-group]. It is in
 * that group from the first read on: a keyring that is locked or absent at the start is a state of
 * the group, and once the group can be read, its user appears.
 *
 * Creating a session does not block: at first, its state is %SHARED_AUTH_STATE_UNKNOWN. The session
 * reports the changes of this process and of others in the thread-default main context in which it
 * was created. All properties have their new values before the first of them notifies. They can be
 * read on any thread, except [property@Session:accounts]. An asynchronous call completes in the
 * thread-default main context of its caller.
 *
 * Sessions of one process that have the same app id, app name, project and store share their state
 * and must have the same other options; the order of groups and scopes does not matter. A session with other options than the existing ones has the
 * state %SHARED_AUTH_STATE_UNAVAILABLE, with the error %SHARED_AUTH_ERROR_ALREADY_CONFIGURED.
 *
 * A call that is cancelled before it starts changes nothing. A call that is cancelled later may
 * still complete, and then returns its result. Otherwise it fails with %G_IO_ERROR_CANCELLED if it
 * changed nothing, with %SHARED_AUTH_ERROR_OUTCOME_UNKNOWN if it is not known whether the store
 * made the change, or with another error of a call that changed the user and then failed, such as
 * %SHARED_AUTH_ERROR_SESSION_NOT_REVOKED after a sign-out.
 *
 * A blocking call, such as [method@Session.load_sync], runs no main loop of the app and needs none. The
 * calling thread takes the place of the main context of the session, unless another thread runs that:
 * requests of a [class@CustomProvider] are then emitted on it, and so are the changes of the session,
 * before the call returns. If another thread runs that context, it must not wait for the calling thread.
 *
 * A session lives as long as somebody holds a reference to it, as every object: connecting to its
 * signals holds none. When it ends, it emits no more signals, without a last one. To end it at a
 * definite time, call [method@Session.close].
 *
 * Do not use a session in a child process after fork() without exec(), or in a process that also
 * uses the Swift modules of SharedAuth.
 *
 * Since: 0.1
 */
struct _SharedAuthSession
{
  /*< private >*/
  GObject parent_instance;
  gpointer core;
};

struct _SharedAuthSessionClass
{
  /*< private >*/
  GObjectClass parent_class;

  /* Room for virtual functions. */
  gpointer padding[8];
};

GType shared_auth_session_get_type (void) G_GNUC_CONST;

/**
 * SharedAuthSession:state:
 *
 * The state of the current user.
 *
 * Since: 0.1
 */
/**
 * SharedAuthSession:user:
 *
 * The current user; %NULL in every state but %SHARED_AUTH_STATE_SIGNED_IN.
 *
 * Since: 0.1
 */
/**
 * SharedAuthSession:user-issuer:
 *
 * The issuer that the users who sign in with the identity provider have as [property@User:issuer]. That
 * of an [class@OpenIDProvider] is its issuer URL with the client id: the apps of an access group use
 * the same client id. %NULL without an identity provider, and if the session is closed or its options
 * are invalid. If an [class@OAuthProvider] registers the app, the issuers of its users begin with this.
 *
 * Since: 0.1
 */
/**
 * SharedAuthSession:access-group:
 *
 * The access group in use; %NULL if the app uses its own slot, or if the stored choice of group has
 * not been read yet.
 *
 * A session that is created with a group uses it from its first read on, and never shows the app's
 * own slot meanwhile. The group takes precedence over a stored choice of another one, and is stored
 * instead of it. [method@Session.use_access_group_async] and [method@Session.migrate_async] apply
 * until the process ends. A session with a group that is malformed or that the app does not declare
 * has the state %SHARED_AUTH_STATE_UNAVAILABLE, with the error
 * %SHARED_AUTH_ERROR_INVALID_ACCESS_GROUP or %SHARED_AUTH_ERROR_ACCESS_GROUP_NOT_DECLARED.
 *
 * A session that is created without a group uses the choice that was stored last.
 *
 * Since: 0.1
 */
/**
 * SharedAuthSession:accounts:
 *
 * The users of the slot in use, as a list of [class@User]. A change of the list covers only the users
 * that are added or removed. Use the list only in the main context of the session.
 *
 * Since: 0.1
 */
/**
 * SharedAuthSession:error:
 *
 * The reason why the current user is not known; %NULL in the states %SHARED_AUTH_STATE_UNKNOWN,
 * %SHARED_AUTH_STATE_SIGNED_IN and %SHARED_AUTH_STATE_SIGNED_OUT.
 *
 * Since: 0.1
 */
/**
 * SharedAuthSession:save-error:
 *
 * The error that keeps changes from being saved; %NULL if none is known. The keyring can be locked
 * while a user is signed in: the state stays as it is, and this is %SHARED_AUTH_ERROR_KEYRING_LOCKED
 * then. Offer [method@Session.unlock_async] for it.
 *
 * Since: 0.1
 */
/**
 * SharedAuthSession::announced:
 * @session: the session
 * @user: (nullable): the current user, or %NULL if no user is signed in
 *
 * Emitted when the current user is first known, and when another user or no user becomes current.
 * Each change is emitted once, in order, after the properties have notified.
 *
 * Since: 0.1
 */
/**
 * SharedAuthSession::open-address:
 * @session: the session
 * @address: the address of the sign-in page
 *
 * Emitted when the user is to visit an address in a browser. If no handler returns %TRUE, the
 * desktop's default browser opens the address.
 *
 * Returns: %TRUE if the handler opened the address
 *
 * Since: 0.1
 */
/**
 * SharedAuthSession::device-code:
 * @session: the session
 * @code: the code, to be shown unchanged
 * @address: the address of the page on which the user enters the code
 * @complete_address: (nullable): the address of the page with the code filled in, for a QR code
 *
 * Emitted during [method@Session.sign_in_with_device_code_async], with the code to show to the
 * user.
 *
 * Since: 0.1
 */

/**
 * shared_auth_session_new:
 * @app_id: (nullable): the app id
 * @identity_provider: (nullable): the identity provider
 *
 * Creates a session for the default project that uses the desktop's keyring. For other options, use
 * [ctor@GObject.Object.new].
 *
 * Returns: (transfer full): a new [class@Session]
 *
 * Since: 0.1
 */
SharedAuthSession *shared_auth_session_new (const char *app_id,
                                            SharedAuthIdentityProvider *identity_provider);

/**
 * shared_auth_session_new_with_access_group:
 * @app_id: (nullable): the app id
 * @access_group: (nullable): the access group, or %NULL for the choice that was stored last
 * @identity_provider: (nullable): the identity provider
 *
 * Creates a session that uses an access group from its first read on, like
 * [ctor@Session.new] otherwise. See [property@Session:access-group].
 *
 * Returns: (transfer full): a new [class@Session]
 *
 * Since: 0.1
 */
SharedAuthSession *
shared_auth_session_new_with_access_group (const char *app_id, const char *access_group,
                                           SharedAuthIdentityProvider *identity_provider);

/**
 * shared_auth_session_close:
 * @session: a [class@Session]
 *
 * Ends the session: it no longer watches the keyring, and drops its identity provider. Calls in
 * progress are stopped, as if they were cancelled. They, and all later calls, fail with
 * %SHARED_AUTH_ERROR_APP_DELETED; a call that completed in the meantime returns its result. Closing
 * a session signs nobody out.
 *
 * The state becomes %SHARED_AUTH_STATE_UNAVAILABLE, with that error; there is no user and no account.
 * The properties notify, in the main context of the session, and no other signal is emitted. Closing
 * a session again does nothing.
 *
 * In C, releasing the last reference to a session has the same effect. A language with garbage
 * collection releases it at some later time, and not at all while a handler of a
 * [class@CustomProvider] refers to the session that uses this provider. After the last session of an
 * app id is closed, sessions of it can be created with other options.
 *
 * Since: 0.1
 */
void shared_auth_session_close (SharedAuthSession *session);

/**
 * shared_auth_session_get_state:
 * @session: a [class@Session]
 *
 * Gets the state of the current user.
 *
 * Returns: the state
 *
 * Since: 0.1
 */
SharedAuthState shared_auth_session_get_state (SharedAuthSession *session);

/**
 * shared_auth_session_dup_user:
 * @session: a [class@Session]
 *
 * Gets the current user.
 *
 * Returns: (transfer full) (nullable): the current user
 *
 * Since: 0.1
 */
SharedAuthUser *shared_auth_session_dup_user (SharedAuthSession *session);

/**
 * shared_auth_session_dup_user_issuer:
 * @session: a [class@Session]
 *
 * Gets the issuer of the users who sign in with the identity provider. See
 * [property@Session:user-issuer].
 *
 * Returns: (transfer full) (nullable): the issuer
 *
 * Since: 0.1
 */
char *shared_auth_session_dup_user_issuer (SharedAuthSession *session);

/**
 * shared_auth_session_dup_access_group:
 * @session: a [class@Session]
 *
 * Gets the access group in use.
 *
 * Returns: (transfer full) (nullable): the access group
 *
 * Since: 0.1
 */
char *shared_auth_session_dup_access_group (SharedAuthSession *session);

/**
 * shared_auth_session_get_accounts:
 * @session: a [class@Session]
 *
 * Gets the users of the slot in use. See [property@Session:accounts].
 *
 * Returns: (transfer none): a list of [class@User]
 *
 * Since: 0.1
 */
GListModel *shared_auth_session_get_accounts (SharedAuthSession *session);

/**
 * shared_auth_session_dup_error:
 * @session: a [class@Session]
 *
 * Gets the reason why the current user is not known.
 *
 * Returns: (transfer full) (nullable): the error
 *
 * Since: 0.1
 */
GError *shared_auth_session_dup_error (SharedAuthSession *session);

/**
 * shared_auth_session_dup_save_error:
 * @session: a [class@Session]
 *
 * Gets the error that keeps changes from being saved. See [property@Session:save-error].
 *
 * Returns: (transfer full) (nullable): the error
 *
 * Since: 0.1
 */
GError *shared_auth_session_dup_save_error (SharedAuthSession *session);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SharedAuthSession, g_object_unref)

G_END_DECLS
