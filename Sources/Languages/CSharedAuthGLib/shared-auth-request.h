#pragma once

#if !defined(SHARED_AUTH_GLIB_INSIDE) && !defined(SHARED_AUTH_COMPILATION)
#error "Only <sharedauth-glib.h> can be included directly."
#endif

#include <gio/gio.h>

#include "shared-auth-error.h"

G_BEGIN_DECLS

#define SHARED_AUTH_TYPE_REQUEST_KIND (shared_auth_request_kind_get_type ())

/**
 * SharedAuthRequestKind:
 * @SHARED_AUTH_REQUEST_KIND_ANONYMOUS: sign in an anonymous user
 * @SHARED_AUTH_REQUEST_KIND_PASSWORD: sign in with an e-mail address and a password
 * @SHARED_AUTH_REQUEST_KIND_NEW_ACCOUNT: create an account with an e-mail address and a password,
 *   and sign in
 * @SHARED_AUTH_REQUEST_KIND_REFRESH: exchange the refresh token for new tokens
 * @SHARED_AUTH_REQUEST_KIND_PROFILE: return the profile of the user that the tokens belong to
 * @SHARED_AUTH_REQUEST_KIND_REVOKE: end the session of the tokens
 *
 * The kind of a [class@Request].
 *
 * Since: 0.1
 */
typedef enum {
  SHARED_AUTH_REQUEST_KIND_ANONYMOUS,
  SHARED_AUTH_REQUEST_KIND_PASSWORD,
  SHARED_AUTH_REQUEST_KIND_NEW_ACCOUNT,
  SHARED_AUTH_REQUEST_KIND_REFRESH,
  SHARED_AUTH_REQUEST_KIND_PROFILE,
  SHARED_AUTH_REQUEST_KIND_REVOKE
} SharedAuthRequestKind;

GType shared_auth_request_kind_get_type (void) G_GNUC_CONST;

#define SHARED_AUTH_TYPE_REQUEST (shared_auth_request_get_type ())

/**
 * SharedAuthRequest:
 *
 * A request to a [class@CustomProvider]. Complete each request once, in the signal handler or
 * later, on any thread, with [method@Request.return_tokens], [method@Request.return_profile],
 * [method@Request.return_done] or [method@Request.return_error]. To complete it later, hold a
 * reference to it. A request that is finalized before it is completed fails with
 * %SHARED_AUTH_ERROR_INTERNAL_ERROR.
 *
 * Since: 0.1
 */
G_DECLARE_FINAL_TYPE (SharedAuthRequest, shared_auth_request, SHARED_AUTH, REQUEST, GObject)

/**
 * SharedAuthRequest:kind:
 *
 * The kind of the request.
 *
 * Since: 0.1
 */
/**
 * SharedAuthRequest:email:
 *
 * The e-mail address; %NULL unless the request is a sign-in with a password or creates an account.
 *
 * Since: 0.1
 */
/**
 * SharedAuthRequest:password:
 *
 * The password; %NULL unless the request is a sign-in with a password or creates an account.
 *
 * Since: 0.1
 */
/**
 * SharedAuthRequest:id-token:
 *
 * The present ID token of a refresh, profile or revocation request.
 *
 * Since: 0.1
 */
/**
 * SharedAuthRequest:refresh-token:
 *
 * The present refresh token of a refresh, profile or revocation request.
 *
 * Since: 0.1
 */
/**
 * SharedAuthRequest:scopes:
 *
 * The scopes for which a refresh request needs an access token; %NULL for those of the sign-in. Pass
 * the token to [method@Request.add_access_token].
 *
 * Since: 0.1
 */
/**
 * SharedAuthRequest:cancellable:
 *
 * Cancelled if the call that needs the response is cancelled. It is not cancelled when the
 * [property@Session:identity-timeout] of that call passes. If tokens of a sign-in are returned after
 * either, nobody keeps them: the provider emits [signal@CustomProvider::revoke] with them.
 *
 * Since: 0.1
 */

/**
 * shared_auth_request_return_tokens:
 * @request: a sign-in or refresh request
 * @uid: the user's id
 * @id_token: (nullable): the ID token; if the server issues none, any token that
 *   [method@Session.get_id_token_async] is to return, or %NULL
 * @refresh_token: (nullable): the refresh token, or %NULL if the session cannot be refreshed
 * @expires_at: the time at which @id_token expires, in seconds since 1970; %G_MAXINT64 if it does
 *   not expire. Ignored if @id_token is %NULL and an access token was added
 *
 * Completes a sign-in or refresh request with tokens. After a sign-in, the provider emits
 * [signal@CustomProvider::profile] to get the user's profile.
 *
 * The request fails with %SHARED_AUTH_ERROR_INTERNAL_ERROR if @uid is empty, if both tokens are
 * %NULL and no access token was added, or if a token has expired.
 *
 * Since: 0.1
 */
void shared_auth_request_return_tokens (SharedAuthRequest *request, const char *uid,
                                        const char *id_token, const char *refresh_token,
                                        gint64 expires_at);

/**
 * shared_auth_request_add_access_token:
 * @request: a sign-in or refresh request
 * @token: the access token
 * @scopes: (nullable) (array zero-terminated=1): the scopes of the token, one in each element; %NULL
 *   for [property@Request:scopes]
 * @expires_at: the time at which the token expires, in seconds since 1970; %G_MAXINT64 if it does not
 *   expire
 *
 * Adds an access token, which [method@Session.get_access_token_async] returns, to the tokens that the
 * request is then completed with. Call it before [method@Request.return_tokens], once for each token,
 * first with the one for the scopes of the sign-in. A session can have access tokens alone.
 *
 * Since: 0.1
 */
void shared_auth_request_add_access_token (SharedAuthRequest *request, const char *token,
                                           const char * const *scopes, gint64 expires_at);

/**
 * shared_auth_request_return_profile:
 * @request: a profile request
 * @uid: the user's id, the same as that of the tokens
 * @email: (nullable): the e-mail address
 * @is_email_verified: whether the e-mail address is verified
 * @display_name: (nullable): the name to display
 * @photo_uri: (nullable): the URI of the user's photo
 *
 * Completes a profile request.
 *
 * Since: 0.1
 */
void shared_auth_request_return_profile (SharedAuthRequest *request, const char *uid,
                                         const char *email, gboolean is_email_verified,
                                         const char *display_name, const char *photo_uri);

/**
 * shared_auth_request_return_done:
 * @request: a revocation request
 *
 * Completes a revocation request: the session has ended.
 *
 * Since: 0.1
 */
void shared_auth_request_return_done (SharedAuthRequest *request);

/**
 * shared_auth_request_return_error:
 * @request: a [class@Request]
 * @code: the kind of failure, such as %SHARED_AUTH_ERROR_WRONG_PASSWORD
 * @message: a sentence that says what failed; it may be logged, so it must not contain a token,
 *   password or e-mail address
 *
 * Completes a request with an error. If a refresh or a reload of the profile fails with
 * %SHARED_AUTH_ERROR_USER_TOKEN_EXPIRED, %SHARED_AUTH_ERROR_INVALID_USER_TOKEN,
 * %SHARED_AUTH_ERROR_USER_DISABLED or %SHARED_AUTH_ERROR_USER_NOT_FOUND, the user is signed out.
 * All other errors leave the session unchanged. An unknown @code becomes
 * %SHARED_AUTH_ERROR_INTERNAL_ERROR.
 *
 * Since: 0.1
 */
void shared_auth_request_return_error (SharedAuthRequest *request, SharedAuthError code,
                                       const char *message);

/**
 * shared_auth_request_get_kind:
 * @request: a [class@Request]
 *
 * Gets the kind of the request. See [property@Request:kind].
 *
 * Returns: the value
 *
 * Since: 0.1
 */
SharedAuthRequestKind shared_auth_request_get_kind (SharedAuthRequest *request);

/**
 * shared_auth_request_dup_email:
 * @request: a [class@Request]
 *
 * Gets the e-mail address. See [property@Request:email].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_request_dup_email (SharedAuthRequest *request);

/**
 * shared_auth_request_dup_password:
 * @request: a [class@Request]
 *
 * Gets the password. See [property@Request:password].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_request_dup_password (SharedAuthRequest *request);

/**
 * shared_auth_request_dup_id_token:
 * @request: a [class@Request]
 *
 * Gets the present ID token. See [property@Request:id-token].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_request_dup_id_token (SharedAuthRequest *request);

/**
 * shared_auth_request_dup_refresh_token:
 * @request: a [class@Request]
 *
 * Gets the present refresh token. See [property@Request:refresh-token].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_request_dup_refresh_token (SharedAuthRequest *request);

/**
 * shared_auth_request_dup_scopes:
 * @request: a [class@Request]
 *
 * Gets the scopes for which a refresh needs an access token. See [property@Request:scopes].
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): the list
 *
 * Since: 0.1
 */
char **shared_auth_request_dup_scopes (SharedAuthRequest *request);

/**
 * shared_auth_request_dup_cancellable:
 * @request: a [class@Request]
 *
 * Gets the object that is cancelled if the call is cancelled. See [property@Request:cancellable].
 *
 * Returns: (transfer full) (nullable): the object
 *
 * Since: 0.1
 */
GCancellable *shared_auth_request_dup_cancellable (SharedAuthRequest *request);

G_END_DECLS
