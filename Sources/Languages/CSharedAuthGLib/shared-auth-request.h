#pragma once

#include <gio/gio.h>

#include "shared-auth-error.h"

G_BEGIN_DECLS

#define SHARED_AUTH_TYPE_REQUEST_KIND (shared_auth_request_kind_get_type ())

/**
 * SharedAuthRequestKind:
 * @SHARED_AUTH_REQUEST_KIND_ANONYMOUS: sign in somebody without a name
 * @SHARED_AUTH_REQUEST_KIND_PASSWORD: sign in with an address and a password
 * @SHARED_AUTH_REQUEST_KIND_NEW_ACCOUNT: make an account of an address and a password, and sign in
 * @SHARED_AUTH_REQUEST_KIND_REFRESH: exchange the refresh token
 * @SHARED_AUTH_REQUEST_KIND_PROFILE: say who the user of the tokens is
 * @SHARED_AUTH_REQUEST_KIND_REVOKE: end the session of the tokens
 *
 * What an identity provider is asked for.
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
#define SHARED_AUTH_REQUEST(object) \
  (G_TYPE_CHECK_INSTANCE_CAST ((object), SHARED_AUTH_TYPE_REQUEST, SharedAuthRequest))
#define SHARED_AUTH_IS_REQUEST(object) (G_TYPE_CHECK_INSTANCE_TYPE ((object), SHARED_AUTH_TYPE_REQUEST))

typedef struct _SharedAuthRequest SharedAuthRequest;
typedef struct _SharedAuthRequestClass SharedAuthRequestClass;

/**
 * SharedAuthRequest:
 *
 * Something that a #SharedAuthCustomProvider is asked for. It is answered once, now or later, on any thread: by
 * shared_auth_request_return_tokens(), shared_auth_request_return_profile(), shared_auth_request_return_done() or
 * shared_auth_request_return_error(). To keep it for later, hold a reference. A request that is dropped without an
 * answer ends as %SHARED_AUTH_ERROR_INTERNAL_ERROR.
 */
struct _SharedAuthRequest
{
  /*< private >*/
  GObject parent_instance;
  gpointer core;
};

struct _SharedAuthRequestClass
{
  /*< private >*/
  GObjectClass parent_class;
};

GType shared_auth_request_get_type (void) G_GNUC_CONST;

/**
 * SharedAuthRequest:kind:
 *
 * What is asked for.
 */
/**
 * SharedAuthRequest:email:
 *
 * The address of a sign-in with a password.
 */
/**
 * SharedAuthRequest:password:
 *
 * The password of such a sign-in.
 */
/**
 * SharedAuthRequest:id-token:
 *
 * The present ID token, of requests about a session.
 */
/**
 * SharedAuthRequest:refresh-token:
 *
 * The present refresh token, of requests about a session.
 */
/**
 * SharedAuthRequest:cancellable:
 *
 * Cancelled when nobody waits for the answer any more.
 */

/**
 * shared_auth_request_return_tokens:
 * @request: a sign-in or a refresh
 * @uid: the user's id
 * @id_token: (nullable): the ID token, if tokens of this kind are issued
 * @refresh_token: (nullable): the refresh token, if the session can be refreshed
 * @expires_at: when the ID token expires, in seconds since 1970
 *
 * Answers with tokens. After a sign-in, the provider's signal #SharedAuthCustomProvider::profile asks who the user
 * is.
 */
void shared_auth_request_return_tokens (SharedAuthRequest *request, const char *uid, const char *id_token,
                                        const char *refresh_token, gint64 expires_at);

/**
 * shared_auth_request_return_profile:
 * @request: a request for a profile
 * @uid: the user's id, the one that came with the tokens
 * @email: (nullable): the e-mail address
 * @is_email_verified: whether it was verified
 * @display_name: (nullable): the name shown to people
 * @photo_uri: (nullable): where the photo is
 *
 * Answers with who the user is.
 */
void shared_auth_request_return_profile (SharedAuthRequest *request, const char *uid, const char *email,
                                         gboolean is_email_verified, const char *display_name,
                                         const char *photo_uri);

/**
 * shared_auth_request_return_done:
 * @request: a revocation
 *
 * Answers that the session has ended.
 */
void shared_auth_request_return_done (SharedAuthRequest *request);

/**
 * shared_auth_request_return_error:
 * @request: a request
 * @code: the kind of failure, such as %SHARED_AUTH_ERROR_WRONG_PASSWORD
 * @message: what failed; no token, password or address, as it may be logged
 *
 * Answers with a failure. Of %SHARED_AUTH_ERROR_USER_TOKEN_EXPIRED, %SHARED_AUTH_ERROR_INVALID_USER_TOKEN,
 * %SHARED_AUTH_ERROR_USER_DISABLED and %SHARED_AUTH_ERROR_USER_NOT_FOUND, a refresh ends the session; any other
 * leaves it.
 */
void shared_auth_request_return_error (SharedAuthRequest *request, SharedAuthError code, const char *message);

#ifndef __swift__
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SharedAuthRequest, g_object_unref)
#endif

G_END_DECLS
