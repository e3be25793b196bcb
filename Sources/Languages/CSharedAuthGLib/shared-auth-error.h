#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * SharedAuthError:
 * @SHARED_AUTH_ERROR_INVALID_CUSTOM_TOKEN: the custom token is malformed or does not belong to this project
 * @SHARED_AUTH_ERROR_CUSTOM_TOKEN_MISMATCH: the custom token is of another project
 * @SHARED_AUTH_ERROR_INVALID_CREDENTIAL: the credential is malformed or expired
 * @SHARED_AUTH_ERROR_USER_DISABLED: the account is disabled
 * @SHARED_AUTH_ERROR_OPERATION_NOT_ALLOWED: the identity provider does not offer this way of signing in
 * @SHARED_AUTH_ERROR_EMAIL_ALREADY_IN_USE: an account with this e-mail address exists
 * @SHARED_AUTH_ERROR_INVALID_EMAIL: the e-mail address is malformed
 * @SHARED_AUTH_ERROR_WRONG_PASSWORD: the password is wrong
 * @SHARED_AUTH_ERROR_TOO_MANY_REQUESTS: too many requests from here; try later
 * @SHARED_AUTH_ERROR_USER_NOT_FOUND: the account does not exist
 * @SHARED_AUTH_ERROR_ACCOUNT_EXISTS_WITH_DIFFERENT_CREDENTIAL: the e-mail address belongs to an account with other
 *   ways to sign in
 * @SHARED_AUTH_ERROR_REQUIRES_RECENT_LOGIN: the operation needs a recent sign-in: reauthenticate, and repeat it
 * @SHARED_AUTH_ERROR_PROVIDER_ALREADY_LINKED: the account has this way to sign in already
 * @SHARED_AUTH_ERROR_NO_SUCH_PROVIDER: the account has no such way to sign in
 * @SHARED_AUTH_ERROR_INVALID_USER_TOKEN: the user's refresh token is not the identity provider's
 * @SHARED_AUTH_ERROR_NETWORK_ERROR: the identity provider cannot be reached
 * @SHARED_AUTH_ERROR_USER_TOKEN_EXPIRED: the user's refresh token is no longer good: sign in again
 * @SHARED_AUTH_ERROR_INVALID_API_KEY: the identity provider refuses the project key
 * @SHARED_AUTH_ERROR_USER_MISMATCH: the credential belongs to another user
 * @SHARED_AUTH_ERROR_CREDENTIAL_ALREADY_IN_USE: the credential belongs to another account
 * @SHARED_AUTH_ERROR_WEAK_PASSWORD: the password is too weak
 * @SHARED_AUTH_ERROR_APP_NOT_AUTHORIZED: the app may not use this project
 * @SHARED_AUTH_ERROR_EXPIRED_ACTION_CODE: the code of an e-mail has expired
 * @SHARED_AUTH_ERROR_INVALID_ACTION_CODE: the code of an e-mail is malformed or was used
 * @SHARED_AUTH_ERROR_INVALID_MESSAGE_PAYLOAD: the template of a mail is malformed
 * @SHARED_AUTH_ERROR_INVALID_SENDER: the sender of a mail is malformed
 * @SHARED_AUTH_ERROR_INVALID_RECIPIENT_EMAIL: the address that a mail is for is malformed
 * @SHARED_AUTH_ERROR_MISSING_EMAIL: an e-mail address is needed
 * @SHARED_AUTH_ERROR_MISSING_IOS_BUNDLE_ID: the settings of a mail lack a bundle id
 * @SHARED_AUTH_ERROR_MISSING_ANDROID_PACKAGE_NAME: the settings of a mail lack a package name
 * @SHARED_AUTH_ERROR_UNAUTHORIZED_DOMAIN: the project does not allow this domain in a link
 * @SHARED_AUTH_ERROR_INVALID_CONTINUE_URI: the page that a link leads to is malformed
 * @SHARED_AUTH_ERROR_MISSING_CONTINUE_URI: A mail needs a page that its link leads to
 * @SHARED_AUTH_ERROR_MISSING_PHONE_NUMBER: A phone number is needed
 * @SHARED_AUTH_ERROR_INVALID_PHONE_NUMBER: the phone number is malformed
 * @SHARED_AUTH_ERROR_MISSING_VERIFICATION_CODE: A verification code is needed
 * @SHARED_AUTH_ERROR_INVALID_VERIFICATION_CODE: the verification code is wrong
 * @SHARED_AUTH_ERROR_MISSING_VERIFICATION_ID: A verification id is needed
 * @SHARED_AUTH_ERROR_INVALID_VERIFICATION_ID: the verification id is wrong
 * @SHARED_AUTH_ERROR_MISSING_APP_CREDENTIAL: the proof of the app's identity is missing
 * @SHARED_AUTH_ERROR_INVALID_APP_CREDENTIAL: the proof of the app's identity is wrong
 * @SHARED_AUTH_ERROR_SESSION_EXPIRED: the time for the verification code is over
 * @SHARED_AUTH_ERROR_QUOTA_EXCEEDED: the identity provider's quota is used up
 * @SHARED_AUTH_ERROR_MISSING_APP_TOKEN: the app's token for notifications is missing
 * @SHARED_AUTH_ERROR_NOTIFICATION_NOT_FORWARDED: A notification did not reach the library
 * @SHARED_AUTH_ERROR_APP_NOT_VERIFIED: the app's identity cannot be verified
 * @SHARED_AUTH_ERROR_CAPTCHA_CHECK_FAILED: the check that this is a person failed
 * @SHARED_AUTH_ERROR_WEB_CONTEXT_ALREADY_PRESENTED: A sign-in that a person takes part in is running already
 * @SHARED_AUTH_ERROR_WEB_CONTEXT_CANCELLED: the person or the app gave the sign-in up
 * @SHARED_AUTH_ERROR_APP_VERIFICATION_USER_INTERACTION_FAILURE: the person did not take part in the check
 * @SHARED_AUTH_ERROR_INVALID_CLIENT_ID: the identity provider does not know the client id
 * @SHARED_AUTH_ERROR_WEB_NETWORK_REQUEST_FAILED: the browser could not reach the identity provider
 * @SHARED_AUTH_ERROR_WEB_INTERNAL_ERROR: the identity provider failed, or answered what cannot be read
 * @SHARED_AUTH_ERROR_WEB_SIGN_IN_USER_INTERACTION_FAILURE: no person could take part in the sign-in, e.g. as no
 *   browser opens
 * @SHARED_AUTH_ERROR_LOCAL_PLAYER_NOT_AUTHENTICATED: the player of a game is not signed in there
 * @SHARED_AUTH_ERROR_NULL_USER: A user is needed and there is none
 * @SHARED_AUTH_ERROR_INVALID_PROVIDER_ID: there is no way to sign in of this id
 * @SHARED_AUTH_ERROR_TENANT_ID_MISMATCH: the user belongs to another tenant
 * @SHARED_AUTH_ERROR_UNSUPPORTED_TENANT_OPERATION: tenants cannot do this
 * @SHARED_AUTH_ERROR_REJECTED_CREDENTIAL: the identity provider refuses the credential
 * @SHARED_AUTH_ERROR_GAME_KIT_NOT_LINKED: the library for games is missing
 * @SHARED_AUTH_ERROR_SECOND_FACTOR_REQUIRED: the sign-in needs a second factor
 * @SHARED_AUTH_ERROR_MISSING_MULTI_FACTOR_SESSION: the proof of the first factor is missing
 * @SHARED_AUTH_ERROR_MISSING_MULTI_FACTOR_INFO: the request does not say which second factor is meant
 * @SHARED_AUTH_ERROR_INVALID_MULTI_FACTOR_SESSION: the proof of the first factor is wrong or too old
 * @SHARED_AUTH_ERROR_MULTI_FACTOR_INFO_NOT_FOUND: the account has no such second factor
 * @SHARED_AUTH_ERROR_ADMIN_RESTRICTED_OPERATION: the project lets only its administrators do this
 * @SHARED_AUTH_ERROR_UNVERIFIED_EMAIL: the e-mail address has to be verified first
 * @SHARED_AUTH_ERROR_SECOND_FACTOR_ALREADY_ENROLLED: the account has this second factor already
 * @SHARED_AUTH_ERROR_MAXIMUM_SECOND_FACTOR_COUNT_EXCEEDED: the account has the maximum number of second factors
 * @SHARED_AUTH_ERROR_UNSUPPORTED_FIRST_FACTOR: this way to sign in allows no second factor
 * @SHARED_AUTH_ERROR_EMAIL_CHANGE_NEEDS_VERIFICATION: the new e-mail address has to be verified first
 * @SHARED_AUTH_ERROR_MISSING_CLIENT_IDENTIFIER: the request does not identify the app
 * @SHARED_AUTH_ERROR_MISSING_OR_INVALID_NONCE: the nonce of an ID token is missing or wrong
 * @SHARED_AUTH_ERROR_BLOCKING_CLOUD_FUNCTION_ERROR: A function of the project refuses the operation
 * @SHARED_AUTH_ERROR_RECAPTCHA_NOT_ENABLED: the project has no reCAPTCHA Enterprise
 * @SHARED_AUTH_ERROR_MISSING_RECAPTCHA_TOKEN: the project wants a token of reCAPTCHA Enterprise
 * @SHARED_AUTH_ERROR_INVALID_RECAPTCHA_TOKEN: the token of reCAPTCHA Enterprise is wrong
 * @SHARED_AUTH_ERROR_INVALID_RECAPTCHA_ACTION: the token of reCAPTCHA Enterprise is for something else
 * @SHARED_AUTH_ERROR_MISSING_CLIENT_TYPE: reCAPTCHA Enterprise wants the kind of client
 * @SHARED_AUTH_ERROR_MISSING_RECAPTCHA_VERSION: reCAPTCHA Enterprise wants its version
 * @SHARED_AUTH_ERROR_INVALID_RECAPTCHA_VERSION: the version of reCAPTCHA Enterprise is wrong
 * @SHARED_AUTH_ERROR_INVALID_REQ_TYPE: the kind of request is wrong
 * @SHARED_AUTH_ERROR_RECAPTCHA_SDK_NOT_LINKED: the library of reCAPTCHA Enterprise is missing
 * @SHARED_AUTH_ERROR_RECAPTCHA_SITE_KEY_MISSING: the project has no key for reCAPTCHA Enterprise
 * @SHARED_AUTH_ERROR_RECAPTCHA_ACTION_CREATION_FAILED: reCAPTCHA Enterprise could not begin
 * @SHARED_AUTH_ERROR_PASSWORD_DOES_NOT_MEET_REQUIREMENTS: the password does not meet the project's policy
 * @SHARED_AUTH_ERROR_INVALID_HOSTING_LINK_DOMAIN: the project does not own the domain that a link is to have
 * @SHARED_AUTH_ERROR_KEYCHAIN_ERROR: the store of secrets failed in a way that no other code names
 * @SHARED_AUTH_ERROR_INTERNAL_ERROR: something that should not happen
 * @SHARED_AUTH_ERROR_MALFORMED_JWT: an ID token cannot be read
 * @SHARED_AUTH_ERROR_KEYRING_LOCKED: the keyring is locked; nothing was read or written
 * @SHARED_AUTH_ERROR_KEYRING_UNAVAILABLE: no session bus, no Secret Service, or no default collection; or an
 *   encrypted-file store that is not there or has no key; nothing was read or written
 * @SHARED_AUTH_ERROR_RECORD_DAMAGED: what is stored cannot be read as a record; it was left where it is
 * @SHARED_AUTH_ERROR_RECORD_VERSION_UNSUPPORTED: the record was written by a newer version of SharedAuth; it was
 *   left where it is
 * @SHARED_AUTH_ERROR_ACCESS_GROUP_NOT_DECLARED: the app does not declare this access group
 * @SHARED_AUTH_ERROR_INVALID_ACCESS_GROUP: the name of the access group is malformed
 * @SHARED_AUTH_ERROR_INVALID_APP_IDENTIFIER: the app id, team id, project or app name is malformed
 * @SHARED_AUTH_ERROR_TIMED_OUT: the deadline passed, and nothing was changed
 * @SHARED_AUTH_ERROR_OUTCOME_UNKNOWN: the store did not answer; whether it did what it was asked is not known until
 *   it is read again
 * @SHARED_AUTH_ERROR_CONFLICT: another process changed the slot meanwhile
 * @SHARED_AUTH_ERROR_PROMPT_DISMISSED: the person dismissed the keyring's prompt
 * @SHARED_AUTH_ERROR_ACCESS_DENIED: the session bus or a sandbox refuses access to the keyring; or an encrypted-file
 *   store is not safe from other users, or its key is another
 * @SHARED_AUTH_ERROR_ALREADY_CONFIGURED: an app of this name is configured already, with other options
 * @SHARED_AUTH_ERROR_STATE_DIRECTORY_UNUSABLE: the app's choice of access group cannot be stored in or read from its
 *   state directory
 * @SHARED_AUTH_ERROR_ACCESS_GROUP_OCCUPIED: the target of a migration holds another user
 * @SHARED_AUTH_ERROR_STORE_FULL: there is no room left to store anything; what was stored is as it was
 * @SHARED_AUTH_ERROR_KEYRING_CHANGED: the keyring daemon is another program than the one that keeps the user, and
 *   has no user; signing in or out resolves it
 * @SHARED_AUTH_ERROR_ISSUER_MISMATCH: the user belongs to another issuer than this app's identity provider; the user
 *   stays signed in
 * @SHARED_AUTH_ERROR_APP_DELETED: the app of this session was deleted
 * @SHARED_AUTH_ERROR_SESSION_NOT_REVOKED: the user was signed out, but the identity provider has not revoked the
 *   session
 * @SHARED_AUTH_ERROR_FILE_LOCKS_UNAVAILABLE: A file cannot be locked, as its file system has no locks or its lock
 *   service does not run; nothing was changed
 *
 * What kind of failure it is. The numbers up to 18000 are those of Firebase Authentication; more may come. The
 * message of an error says what failed and what to do about it, and holds no token, password or e-mail address.
 */
typedef enum {
  SHARED_AUTH_ERROR_INVALID_CUSTOM_TOKEN = 17000,
  SHARED_AUTH_ERROR_CUSTOM_TOKEN_MISMATCH = 17002,
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
  SHARED_AUTH_ERROR_EXPIRED_ACTION_CODE = 17029,
  SHARED_AUTH_ERROR_INVALID_ACTION_CODE = 17030,
  SHARED_AUTH_ERROR_INVALID_MESSAGE_PAYLOAD = 17031,
  SHARED_AUTH_ERROR_INVALID_SENDER = 17032,
  SHARED_AUTH_ERROR_INVALID_RECIPIENT_EMAIL = 17033,
  SHARED_AUTH_ERROR_MISSING_EMAIL = 17034,
  SHARED_AUTH_ERROR_MISSING_IOS_BUNDLE_ID = 17036,
  SHARED_AUTH_ERROR_MISSING_ANDROID_PACKAGE_NAME = 17037,
  SHARED_AUTH_ERROR_UNAUTHORIZED_DOMAIN = 17038,
  SHARED_AUTH_ERROR_INVALID_CONTINUE_URI = 17039,
  SHARED_AUTH_ERROR_MISSING_CONTINUE_URI = 17040,
  SHARED_AUTH_ERROR_MISSING_PHONE_NUMBER = 17041,
  SHARED_AUTH_ERROR_INVALID_PHONE_NUMBER = 17042,
  SHARED_AUTH_ERROR_MISSING_VERIFICATION_CODE = 17043,
  SHARED_AUTH_ERROR_INVALID_VERIFICATION_CODE = 17044,
  SHARED_AUTH_ERROR_MISSING_VERIFICATION_ID = 17045,
  SHARED_AUTH_ERROR_INVALID_VERIFICATION_ID = 17046,
  SHARED_AUTH_ERROR_MISSING_APP_CREDENTIAL = 17047,
  SHARED_AUTH_ERROR_INVALID_APP_CREDENTIAL = 17048,
  SHARED_AUTH_ERROR_SESSION_EXPIRED = 17051,
  SHARED_AUTH_ERROR_QUOTA_EXCEEDED = 17052,
  SHARED_AUTH_ERROR_MISSING_APP_TOKEN = 17053,
  SHARED_AUTH_ERROR_NOTIFICATION_NOT_FORWARDED = 17054,
  SHARED_AUTH_ERROR_APP_NOT_VERIFIED = 17055,
  SHARED_AUTH_ERROR_CAPTCHA_CHECK_FAILED = 17056,
  SHARED_AUTH_ERROR_WEB_CONTEXT_ALREADY_PRESENTED = 17057,
  SHARED_AUTH_ERROR_WEB_CONTEXT_CANCELLED = 17058,
  SHARED_AUTH_ERROR_APP_VERIFICATION_USER_INTERACTION_FAILURE = 17059,
  SHARED_AUTH_ERROR_INVALID_CLIENT_ID = 17060,
  SHARED_AUTH_ERROR_WEB_NETWORK_REQUEST_FAILED = 17061,
  SHARED_AUTH_ERROR_WEB_INTERNAL_ERROR = 17062,
  SHARED_AUTH_ERROR_WEB_SIGN_IN_USER_INTERACTION_FAILURE = 17063,
  SHARED_AUTH_ERROR_LOCAL_PLAYER_NOT_AUTHENTICATED = 17066,
  SHARED_AUTH_ERROR_NULL_USER = 17067,
  SHARED_AUTH_ERROR_INVALID_PROVIDER_ID = 17071,
  SHARED_AUTH_ERROR_TENANT_ID_MISMATCH = 17072,
  SHARED_AUTH_ERROR_UNSUPPORTED_TENANT_OPERATION = 17073,
  SHARED_AUTH_ERROR_REJECTED_CREDENTIAL = 17075,
  SHARED_AUTH_ERROR_GAME_KIT_NOT_LINKED = 17076,
  SHARED_AUTH_ERROR_SECOND_FACTOR_REQUIRED = 17078,
  SHARED_AUTH_ERROR_MISSING_MULTI_FACTOR_SESSION = 17081,
  SHARED_AUTH_ERROR_MISSING_MULTI_FACTOR_INFO = 17082,
  SHARED_AUTH_ERROR_INVALID_MULTI_FACTOR_SESSION = 17083,
  SHARED_AUTH_ERROR_MULTI_FACTOR_INFO_NOT_FOUND = 17084,
  SHARED_AUTH_ERROR_ADMIN_RESTRICTED_OPERATION = 17085,
  SHARED_AUTH_ERROR_UNVERIFIED_EMAIL = 17086,
  SHARED_AUTH_ERROR_SECOND_FACTOR_ALREADY_ENROLLED = 17087,
  SHARED_AUTH_ERROR_MAXIMUM_SECOND_FACTOR_COUNT_EXCEEDED = 17088,
  SHARED_AUTH_ERROR_UNSUPPORTED_FIRST_FACTOR = 17089,
  SHARED_AUTH_ERROR_EMAIL_CHANGE_NEEDS_VERIFICATION = 17090,
  SHARED_AUTH_ERROR_MISSING_CLIENT_IDENTIFIER = 17093,
  SHARED_AUTH_ERROR_MISSING_OR_INVALID_NONCE = 17094,
  SHARED_AUTH_ERROR_BLOCKING_CLOUD_FUNCTION_ERROR = 17105,
  SHARED_AUTH_ERROR_RECAPTCHA_NOT_ENABLED = 17200,
  SHARED_AUTH_ERROR_MISSING_RECAPTCHA_TOKEN = 17201,
  SHARED_AUTH_ERROR_INVALID_RECAPTCHA_TOKEN = 17202,
  SHARED_AUTH_ERROR_INVALID_RECAPTCHA_ACTION = 17203,
  SHARED_AUTH_ERROR_MISSING_CLIENT_TYPE = 17204,
  SHARED_AUTH_ERROR_MISSING_RECAPTCHA_VERSION = 17205,
  SHARED_AUTH_ERROR_INVALID_RECAPTCHA_VERSION = 17206,
  SHARED_AUTH_ERROR_INVALID_REQ_TYPE = 17207,
  SHARED_AUTH_ERROR_RECAPTCHA_SDK_NOT_LINKED = 17208,
  SHARED_AUTH_ERROR_RECAPTCHA_SITE_KEY_MISSING = 17209,
  SHARED_AUTH_ERROR_RECAPTCHA_ACTION_CREATION_FAILED = 17210,
  SHARED_AUTH_ERROR_PASSWORD_DOES_NOT_MEET_REQUIREMENTS = 17211,
  SHARED_AUTH_ERROR_INVALID_HOSTING_LINK_DOMAIN = 17214,
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
  SHARED_AUTH_ERROR_FILE_LOCKS_UNAVAILABLE = 19021
} SharedAuthError;

/**
 * SHARED_AUTH_ERROR:
 *
 * The domain of errors of this library.
 */
#define SHARED_AUTH_ERROR (shared_auth_error_quark ())

GQuark shared_auth_error_quark (void);

G_END_DECLS
