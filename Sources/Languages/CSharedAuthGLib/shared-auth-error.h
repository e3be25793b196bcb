#pragma once

#if !defined(SHARED_AUTH_GLIB_INSIDE) && !defined(SHARED_AUTH_COMPILATION)
#error "Only <sharedauth-glib.h> can be included directly."
#endif

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * SharedAuthError:
 * @SHARED_AUTH_ERROR_INVALID_CREDENTIAL: the credential is malformed or expired
 * @SHARED_AUTH_ERROR_USER_DISABLED: the account is disabled
 * @SHARED_AUTH_ERROR_OPERATION_NOT_ALLOWED: the identity provider does not allow this sign-in
 *   method
 * @SHARED_AUTH_ERROR_EMAIL_ALREADY_IN_USE: an account with this e-mail address already exists
 * @SHARED_AUTH_ERROR_INVALID_EMAIL: the e-mail address is malformed
 * @SHARED_AUTH_ERROR_WRONG_PASSWORD: the password is wrong
 * @SHARED_AUTH_ERROR_TOO_MANY_REQUESTS: too many requests were sent; try again later
 * @SHARED_AUTH_ERROR_USER_NOT_FOUND: the account does not exist
 * @SHARED_AUTH_ERROR_ACCOUNT_EXISTS_WITH_DIFFERENT_CREDENTIAL: the e-mail address belongs to an
 *   account with other sign-in methods
 * @SHARED_AUTH_ERROR_REQUIRES_RECENT_LOGIN: the operation needs a recent sign-in: reauthenticate,
 *   then repeat it
 * @SHARED_AUTH_ERROR_PROVIDER_ALREADY_LINKED: the account already has this sign-in method
 * @SHARED_AUTH_ERROR_NO_SUCH_PROVIDER: the account does not have this sign-in method
 * @SHARED_AUTH_ERROR_INVALID_USER_TOKEN: the identity provider does not recognize the user's
 *   refresh token
 * @SHARED_AUTH_ERROR_NETWORK_ERROR: the identity provider cannot be reached
 * @SHARED_AUTH_ERROR_USER_TOKEN_EXPIRED: the user's refresh token is no longer valid: sign in again
 * @SHARED_AUTH_ERROR_INVALID_API_KEY: the identity provider rejects the project key
 * @SHARED_AUTH_ERROR_USER_MISMATCH: the credential belongs to another user
 * @SHARED_AUTH_ERROR_CREDENTIAL_ALREADY_IN_USE: the credential belongs to another account
 * @SHARED_AUTH_ERROR_WEAK_PASSWORD: the password is too weak
 * @SHARED_AUTH_ERROR_APP_NOT_AUTHORIZED: the app may not use this project
 * @SHARED_AUTH_ERROR_MISSING_EMAIL: an e-mail address is required
 * @SHARED_AUTH_ERROR_UNAUTHORIZED_DOMAIN: the project does not allow this domain in a link
 * @SHARED_AUTH_ERROR_INVALID_CONTINUE_URI: the URL of the page that a link leads to is malformed
 * @SHARED_AUTH_ERROR_MISSING_CONTINUE_URI: the URL of the page that a link leads to is missing
 * @SHARED_AUTH_ERROR_QUOTA_EXCEEDED: the identity provider's quota is exhausted
 * @SHARED_AUTH_ERROR_WEB_CONTEXT_ALREADY_PRESENTED: an interactive sign-in is already running
 * @SHARED_AUTH_ERROR_WEB_CONTEXT_CANCELLED: the user or the app cancelled the sign-in
 * @SHARED_AUTH_ERROR_INVALID_CLIENT_ID: the identity provider does not know the client id
 * @SHARED_AUTH_ERROR_WEB_INTERNAL_ERROR: the identity provider failed, or its response cannot be
 *   read
 * @SHARED_AUTH_ERROR_WEB_SIGN_IN_USER_INTERACTION_FAILURE: the user could not take part in the
 *   sign-in, e.g. because no browser opens
 * @SHARED_AUTH_ERROR_NULL_USER: the operation requires a user
 * @SHARED_AUTH_ERROR_INVALID_PROVIDER_ID: no sign-in method has this id
 * @SHARED_AUTH_ERROR_TENANT_ID_MISMATCH: the user belongs to another tenant
 * @SHARED_AUTH_ERROR_UNSUPPORTED_TENANT_OPERATION: tenants do not support this operation
 * @SHARED_AUTH_ERROR_REJECTED_CREDENTIAL: the identity provider rejects the credential
 * @SHARED_AUTH_ERROR_SECOND_FACTOR_REQUIRED: the sign-in needs a second factor
 * @SHARED_AUTH_ERROR_ADMIN_RESTRICTED_OPERATION: only administrators of the project may do this
 * @SHARED_AUTH_ERROR_UNVERIFIED_EMAIL: the e-mail address must be verified first
 * @SHARED_AUTH_ERROR_EMAIL_CHANGE_NEEDS_VERIFICATION: the new e-mail address must be verified first
 * @SHARED_AUTH_ERROR_MISSING_OR_INVALID_NONCE: the nonce of an ID token is missing or wrong
 * @SHARED_AUTH_ERROR_BLOCKING_CLOUD_FUNCTION_ERROR: a blocking function of the project rejected the
 *   operation
 * @SHARED_AUTH_ERROR_RECAPTCHA_NOT_ENABLED: reCAPTCHA Enterprise is not enabled for the project
 * @SHARED_AUTH_ERROR_MISSING_RECAPTCHA_TOKEN: the project requires a reCAPTCHA Enterprise token
 * @SHARED_AUTH_ERROR_MISSING_CLIENT_TYPE: reCAPTCHA Enterprise requires the client type
 * @SHARED_AUTH_ERROR_MISSING_RECAPTCHA_VERSION: reCAPTCHA Enterprise requires its version
 * @SHARED_AUTH_ERROR_PASSWORD_DOES_NOT_MEET_REQUIREMENTS: the password does not meet the project's
 *   policy
 * @SHARED_AUTH_ERROR_KEYCHAIN_ERROR: the store failed in a way that no other code describes
 * @SHARED_AUTH_ERROR_INTERNAL_ERROR: an internal error occurred that should not happen
 * @SHARED_AUTH_ERROR_MALFORMED_JWT: an ID token cannot be read
 * @SHARED_AUTH_ERROR_KEYRING_LOCKED: the keyring is locked; nothing was read or written
 * @SHARED_AUTH_ERROR_KEYRING_UNAVAILABLE: the session bus, the Secret Service or the default
 *   collection is missing, or an encrypted-file store does not exist or has no key; nothing was
 *   read or written
 * @SHARED_AUTH_ERROR_RECORD_DAMAGED: the stored data cannot be read as a record; it was left in
 *   place
 * @SHARED_AUTH_ERROR_RECORD_VERSION_UNSUPPORTED: a newer version of SharedAuth wrote the record; it
 *   was left in place
 * @SHARED_AUTH_ERROR_ACCESS_GROUP_NOT_DECLARED: the app does not declare this access group
 * @SHARED_AUTH_ERROR_INVALID_ACCESS_GROUP: the name of the access group is malformed
 * @SHARED_AUTH_ERROR_INVALID_APP_IDENTIFIER: the app id, team id, project or app name is malformed
 * @SHARED_AUTH_ERROR_TIMED_OUT: the deadline passed; nothing was changed
 * @SHARED_AUTH_ERROR_OUTCOME_UNKNOWN: the store did not respond; whether it made the change is
 *   unknown until it is read again
 * @SHARED_AUTH_ERROR_CONFLICT: another process changed the slot during the operation
 * @SHARED_AUTH_ERROR_PROMPT_DISMISSED: the user dismissed the keyring's prompt
 * @SHARED_AUTH_ERROR_ACCESS_DENIED: the session bus or a sandbox denies access to the keyring; or
 *   other users can access an encrypted-file store, or the store has a different key
 * @SHARED_AUTH_ERROR_ALREADY_CONFIGURED: another session of the app has other options
 * @SHARED_AUTH_ERROR_STATE_DIRECTORY_UNUSABLE: the app's choice of access group cannot be stored
 *   in, or read from, its state directory
 * @SHARED_AUTH_ERROR_ACCESS_GROUP_OCCUPIED: the target of a migration holds another user
 * @SHARED_AUTH_ERROR_STORE_FULL: the store is full; the stored data is unchanged
 * @SHARED_AUTH_ERROR_KEYRING_CHANGED: the keyring that stores the user is another daemon's, or was
 *   replaced, and the present one has no user; signing in or out resolves it
 * @SHARED_AUTH_ERROR_ISSUER_MISMATCH: the user's issuer is not this app's identity provider; the
 *   user stays signed in
 * @SHARED_AUTH_ERROR_APP_DELETED: the session was closed with [method@Session.close]
 * @SHARED_AUTH_ERROR_SESSION_NOT_REVOKED: the user was signed out, but the identity provider did
 *   not revoke the session
 * @SHARED_AUTH_ERROR_FILE_LOCKS_UNAVAILABLE: a file cannot be locked because its file system has no
 *   locks or its lock service is not running; nothing was changed
 * @SHARED_AUTH_ERROR_KEPT_ON_FLEET: the access group is kept on a fleet, and this app's store is not
 *   the fleet's; nothing was changed
 *
 * Error codes in the domain %SHARED_AUTH_ERROR. Codes that Firebase Authentication also defines
 * have its numbers (17000 to 18000). Its codes for calls that this library does not have, such as
 * those with phone numbers, are not listed. The set can grow.
 *
 * The message of an error says what failed and what to do, and contains no token, password or
 * e-mail address.
 *
 * Since: 0.1
 */
typedef enum {
  SHARED_AUTH_ERROR_INVALID_CREDENTIAL = 17004,
  SHARED_AUTH_ERROR_USER_DISABLED = 17005,
  SHARED_AUTH_ERROR_OPERATION_NOT_ALLOWED = 17006,
  SHARED_AUTH_ERROR_EMAIL_ALREADY_IN_USE = 17007,
  SHARED_AUTH_ERROR_INVALID_EMAIL = 17008,
  SHARED_AUTH_ERROR_WRONG_PASSWORD = 17009,
  SHARED_AUTH_ERROR_TOO_MANY_REQUESTS = 17010,
  SHARED_AUTH_ERROR_USER_NOT_FOUND = 17011,
  SHARED_AUTH_ERROR_ACCOUNT_EXISTS_WITH_DIFFERENT_CREDENTIAL = 17012,
  SHARED_AUTH_ERROR_REQUIRES_RECENT_LOGIN = 17014,
  SHARED_AUTH_ERROR_PROVIDER_ALREADY_LINKED = 17015,
  SHARED_AUTH_ERROR_NO_SUCH_PROVIDER = 17016,
  SHARED_AUTH_ERROR_INVALID_USER_TOKEN = 17017,
  SHARED_AUTH_ERROR_NETWORK_ERROR = 17020,
  SHARED_AUTH_ERROR_USER_TOKEN_EXPIRED = 17021,
  SHARED_AUTH_ERROR_INVALID_API_KEY = 17023,
  SHARED_AUTH_ERROR_USER_MISMATCH = 17024,
  SHARED_AUTH_ERROR_CREDENTIAL_ALREADY_IN_USE = 17025,
  SHARED_AUTH_ERROR_WEAK_PASSWORD = 17026,
  SHARED_AUTH_ERROR_APP_NOT_AUTHORIZED = 17028,
  SHARED_AUTH_ERROR_MISSING_EMAIL = 17034,
  SHARED_AUTH_ERROR_UNAUTHORIZED_DOMAIN = 17038,
  SHARED_AUTH_ERROR_INVALID_CONTINUE_URI = 17039,
  SHARED_AUTH_ERROR_MISSING_CONTINUE_URI = 17040,
  SHARED_AUTH_ERROR_QUOTA_EXCEEDED = 17052,
  SHARED_AUTH_ERROR_WEB_CONTEXT_ALREADY_PRESENTED = 17057,
  SHARED_AUTH_ERROR_WEB_CONTEXT_CANCELLED = 17058,
  SHARED_AUTH_ERROR_INVALID_CLIENT_ID = 17060,
  SHARED_AUTH_ERROR_WEB_INTERNAL_ERROR = 17062,
  SHARED_AUTH_ERROR_WEB_SIGN_IN_USER_INTERACTION_FAILURE = 17063,
  SHARED_AUTH_ERROR_NULL_USER = 17067,
  SHARED_AUTH_ERROR_INVALID_PROVIDER_ID = 17071,
  SHARED_AUTH_ERROR_TENANT_ID_MISMATCH = 17072,
  SHARED_AUTH_ERROR_UNSUPPORTED_TENANT_OPERATION = 17073,
  SHARED_AUTH_ERROR_REJECTED_CREDENTIAL = 17075,
  SHARED_AUTH_ERROR_SECOND_FACTOR_REQUIRED = 17078,
  SHARED_AUTH_ERROR_ADMIN_RESTRICTED_OPERATION = 17085,
  SHARED_AUTH_ERROR_UNVERIFIED_EMAIL = 17086,
  SHARED_AUTH_ERROR_EMAIL_CHANGE_NEEDS_VERIFICATION = 17090,
  SHARED_AUTH_ERROR_MISSING_OR_INVALID_NONCE = 17094,
  SHARED_AUTH_ERROR_BLOCKING_CLOUD_FUNCTION_ERROR = 17105,
  SHARED_AUTH_ERROR_RECAPTCHA_NOT_ENABLED = 17200,
  SHARED_AUTH_ERROR_MISSING_RECAPTCHA_TOKEN = 17201,
  SHARED_AUTH_ERROR_MISSING_CLIENT_TYPE = 17204,
  SHARED_AUTH_ERROR_MISSING_RECAPTCHA_VERSION = 17205,
  SHARED_AUTH_ERROR_PASSWORD_DOES_NOT_MEET_REQUIREMENTS = 17211,
  SHARED_AUTH_ERROR_KEYCHAIN_ERROR = 17995,
  SHARED_AUTH_ERROR_INTERNAL_ERROR = 17999,
  SHARED_AUTH_ERROR_MALFORMED_JWT = 18000,
  SHARED_AUTH_ERROR_KEYRING_LOCKED = 19001,
  SHARED_AUTH_ERROR_KEYRING_UNAVAILABLE = 19002,
  SHARED_AUTH_ERROR_RECORD_DAMAGED = 19003,
  SHARED_AUTH_ERROR_RECORD_VERSION_UNSUPPORTED = 19004,
  SHARED_AUTH_ERROR_ACCESS_GROUP_NOT_DECLARED = 19005,
  SHARED_AUTH_ERROR_INVALID_ACCESS_GROUP = 19006,
  SHARED_AUTH_ERROR_INVALID_APP_IDENTIFIER = 19007,
  SHARED_AUTH_ERROR_TIMED_OUT = 19008,
  SHARED_AUTH_ERROR_OUTCOME_UNKNOWN = 19009,
  SHARED_AUTH_ERROR_CONFLICT = 19010,
  SHARED_AUTH_ERROR_PROMPT_DISMISSED = 19011,
  SHARED_AUTH_ERROR_ACCESS_DENIED = 19012,
  SHARED_AUTH_ERROR_ALREADY_CONFIGURED = 19013,
  SHARED_AUTH_ERROR_STATE_DIRECTORY_UNUSABLE = 19014,
  SHARED_AUTH_ERROR_ACCESS_GROUP_OCCUPIED = 19015,
  SHARED_AUTH_ERROR_STORE_FULL = 19016,
  SHARED_AUTH_ERROR_KEYRING_CHANGED = 19017,
  SHARED_AUTH_ERROR_ISSUER_MISMATCH = 19018,
  SHARED_AUTH_ERROR_APP_DELETED = 19019,
  SHARED_AUTH_ERROR_SESSION_NOT_REVOKED = 19020,
  SHARED_AUTH_ERROR_FILE_LOCKS_UNAVAILABLE = 19021,
  SHARED_AUTH_ERROR_KEPT_ON_FLEET = 19022
} SharedAuthError;

/**
 * SHARED_AUTH_ERROR:
 *
 * The error domain of this library.
 *
 * Since: 0.1
 */
#define SHARED_AUTH_ERROR (shared_auth_error_quark ())

/**
 * shared_auth_error_quark:
 *
 * Gets the error domain of this library.
 *
 * Returns: the quark of the error domain
 *
 * Since: 0.1
 */
GQuark shared_auth_error_quark (void);

/**
 * shared_auth_error_get_user_message:
 * @error: an error of a call of this library
 *
 * Gets a text for the person who uses the app: what happened and what the person can do, in plain
 * words and in the language of the process.
 *
 * The message of @error is for logs. It names properties and functions, and is not translated.
 *
 * An error of another domain gives its own message, and a cancelled call says that it was cancelled.
 * The translations are in the gettext domain `sharedauth`.
 *
 * Returns: (transfer none): the text, which is never freed
 *
 * Since: 0.1
 */
const char *shared_auth_error_get_user_message (const GError *error);

G_END_DECLS
