#pragma once

#if !defined(SHARED_AUTH_GLIB_INSIDE) && !defined(SHARED_AUTH_COMPILATION)
#error "Only <sharedauth-glib.h> can be included directly."
#endif

#include <gio/gio.h>

G_BEGIN_DECLS

#define SHARED_AUTH_TYPE_STATE (shared_auth_state_get_type ())

/**
 * SharedAuthState:
 * @SHARED_AUTH_STATE_UNKNOWN: the stored user has not been read yet
 * @SHARED_AUTH_STATE_SIGNED_IN: a user is signed in
 * @SHARED_AUTH_STATE_SIGNED_OUT: no user is signed in
 * @SHARED_AUTH_STATE_LOCKED: the keyring is locked; see [method@Session.unlock_async]
 * @SHARED_AUTH_STATE_UNAVAILABLE: the keyring cannot be reached, or an option of the session is
 *   invalid; [property@Session:error] describes the reason
 * @SHARED_AUTH_STATE_DAMAGED: the stored record cannot be read; [property@Session:error] describes
 *   the reason. The next sign-in or sign-out sets a damaged record aside
 *
 * The state of the current user. Only %SHARED_AUTH_STATE_SIGNED_OUT means that no user is signed
 * in.
 *
 * Since: 0.1
 */
typedef enum {
  SHARED_AUTH_STATE_UNKNOWN,
  SHARED_AUTH_STATE_SIGNED_IN,
  SHARED_AUTH_STATE_SIGNED_OUT,
  SHARED_AUTH_STATE_LOCKED,
  SHARED_AUTH_STATE_UNAVAILABLE,
  SHARED_AUTH_STATE_DAMAGED
} SharedAuthState;

GType shared_auth_state_get_type (void) G_GNUC_CONST;

#define SHARED_AUTH_TYPE_STORE (shared_auth_store_get_type ())

/**
 * SharedAuthStore:
 * @SHARED_AUTH_STORE_KEYRING: the desktop's keyring
 * @SHARED_AUTH_STORE_ENCRYPTED_FILES: encrypted files; [property@Session:key-file] contains the key
 *
 * The store of the users.
 *
 * Since: 0.1
 */
typedef enum {
  SHARED_AUTH_STORE_KEYRING,
  SHARED_AUTH_STORE_ENCRYPTED_FILES
} SharedAuthStore;

GType shared_auth_store_get_type (void) G_GNUC_CONST;

#define SHARED_AUTH_TYPE_OWN_USER_POLICY (shared_auth_own_user_policy_get_type ())

/**
 * SharedAuthOwnUserPolicy:
 * @SHARED_AUTH_OWN_USER_POLICY_CLEAR: sign the user out
 * @SHARED_AUTH_OWN_USER_POLICY_KEEP: keep the user stored in the app's own slot, without showing
 *   the user
 * @SHARED_AUTH_OWN_USER_POLICY_MIGRATE: move the user to the group. If another user is current
 *   there, that user is shown, and the app's own user stays stored in the own slot
 *
 * The policy for a user in the app's own slot when a session joins the access group that it was
 * created with. It applies once, at the first start at which the group can be read.
 *
 * Since: 0.1
 */
typedef enum {
  SHARED_AUTH_OWN_USER_POLICY_CLEAR,
  SHARED_AUTH_OWN_USER_POLICY_KEEP,
  SHARED_AUTH_OWN_USER_POLICY_MIGRATE
} SharedAuthOwnUserPolicy;

GType shared_auth_own_user_policy_get_type (void) G_GNUC_CONST;

#define SHARED_AUTH_TYPE_MIGRATION_POLICY (shared_auth_migration_policy_get_type ())

/**
 * SharedAuthMigrationPolicy:
 * @SHARED_AUTH_MIGRATION_POLICY_FAIL: change nothing, and fail with
 *   %SHARED_AUTH_ERROR_ACCESS_GROUP_OCCUPIED
 * @SHARED_AUTH_MIGRATION_POLICY_REPLACE: replace the other user, who stays as a second account only
 *   if [property@Session:keeps-other-users] is set
 * @SHARED_AUTH_MIGRATION_POLICY_ADD: add the user as a second account; the other user stays
 *   current, and becomes the current user of the app
 * @SHARED_AUTH_MIGRATION_POLICY_SKIP: change nothing, and succeed
 * @SHARED_AUTH_MIGRATION_POLICY_JOIN: switch to the other user; the user who was to be moved stays
 *   stored in the slot that is left
 *
 * The policy for a user who is moved to a slot in which another user is current.
 *
 * Since: 0.1
 */
typedef enum {
  SHARED_AUTH_MIGRATION_POLICY_FAIL,
  SHARED_AUTH_MIGRATION_POLICY_REPLACE,
  SHARED_AUTH_MIGRATION_POLICY_ADD,
  SHARED_AUTH_MIGRATION_POLICY_SKIP,
  SHARED_AUTH_MIGRATION_POLICY_JOIN
} SharedAuthMigrationPolicy;

GType shared_auth_migration_policy_get_type (void) G_GNUC_CONST;

G_END_DECLS
