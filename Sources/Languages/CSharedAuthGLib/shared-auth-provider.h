#pragma once

#include <gio/gio.h>

#include "shared-auth-request.h"

G_BEGIN_DECLS

#define SHARED_AUTH_TYPE_IDENTITY_PROVIDER (shared_auth_identity_provider_get_type ())
#define SHARED_AUTH_IDENTITY_PROVIDER(object) \
  (G_TYPE_CHECK_INSTANCE_CAST ((object), SHARED_AUTH_TYPE_IDENTITY_PROVIDER, SharedAuthIdentityProvider))
#define SHARED_AUTH_IS_IDENTITY_PROVIDER(object) \
  (G_TYPE_CHECK_INSTANCE_TYPE ((object), SHARED_AUTH_TYPE_IDENTITY_PROVIDER))

typedef struct _SharedAuthIdentityProvider SharedAuthIdentityProvider;
typedef struct _SharedAuthIdentityProviderClass SharedAuthIdentityProviderClass;

/**
 * SharedAuthIdentityProvider:
 *
 * Signs users in: one of the providers below. It serves the sessions that it is given to.
 */
struct _SharedAuthIdentityProvider
{
  /*< private >*/
  GObject parent_instance;
  gpointer core;
};

struct _SharedAuthIdentityProviderClass
{
  /*< private >*/
  GObjectClass parent_class;
};

GType shared_auth_identity_provider_get_type (void) G_GNUC_CONST;

#ifndef __swift__
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SharedAuthIdentityProvider, g_object_unref)
#endif

#define SHARED_AUTH_TYPE_LOCAL_PROVIDER (shared_auth_local_provider_get_type ())
#define SHARED_AUTH_LOCAL_PROVIDER(object) \
  (G_TYPE_CHECK_INSTANCE_CAST ((object), SHARED_AUTH_TYPE_LOCAL_PROVIDER, SharedAuthLocalProvider))
#define SHARED_AUTH_IS_LOCAL_PROVIDER(object) (G_TYPE_CHECK_INSTANCE_TYPE ((object), SHARED_AUTH_TYPE_LOCAL_PROVIDER))

typedef struct _SharedAuthLocalProvider SharedAuthLocalProvider;
typedef struct _SharedAuthLocalProviderClass SharedAuthLocalProviderClass;

/**
 * SharedAuthLocalProvider:
 *
 * Signs users in without a server: their accounts are kept in the store of the session, and every app of the
 * project knows them.
 */
struct _SharedAuthLocalProvider
{
  /*< private >*/
  SharedAuthIdentityProvider parent_instance;
};

struct _SharedAuthLocalProviderClass
{
  /*< private >*/
  SharedAuthIdentityProviderClass parent_class;
};

GType shared_auth_local_provider_get_type (void) G_GNUC_CONST;

/**
 * shared_auth_local_provider_new:
 *
 * Makes an identity provider.
 *
 * Returns: (transfer full): the provider
 */
SharedAuthLocalProvider *shared_auth_local_provider_new (void);

#ifndef __swift__
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SharedAuthLocalProvider, g_object_unref)
#endif

#define SHARED_AUTH_TYPE_OPENID_PROVIDER (shared_auth_openid_provider_get_type ())
#define SHARED_AUTH_OPENID_PROVIDER(object) \
  (G_TYPE_CHECK_INSTANCE_CAST ((object), SHARED_AUTH_TYPE_OPENID_PROVIDER, SharedAuthOpenIDProvider))
#define SHARED_AUTH_IS_OPENID_PROVIDER(object) \
  (G_TYPE_CHECK_INSTANCE_TYPE ((object), SHARED_AUTH_TYPE_OPENID_PROVIDER))

typedef struct _SharedAuthOpenIDProvider SharedAuthOpenIDProvider;
typedef struct _SharedAuthOpenIDProviderClass SharedAuthOpenIDProviderClass;

/**
 * SharedAuthOpenIDProvider:
 *
 * Signs users in at an OpenID provider: by shared_auth_session_sign_in_with_browser_async(), or by
 * shared_auth_session_sign_in_with_device_code_async().
 */
struct _SharedAuthOpenIDProvider
{
  /*< private >*/
  SharedAuthIdentityProvider parent_instance;
};

struct _SharedAuthOpenIDProviderClass
{
  /*< private >*/
  SharedAuthIdentityProviderClass parent_class;
};

GType shared_auth_openid_provider_get_type (void) G_GNUC_CONST;

/**
 * SharedAuthOpenIDProvider:issuer:
 *
 * The issuer URL, exactly as the OpenID provider names itself.
 */
/**
 * SharedAuthOpenIDProvider:client-id:
 *
 * The client id that the OpenID provider gave to the app.
 */
/**
 * SharedAuthOpenIDProvider:client-secret:
 *
 * The client secret, for OpenID providers that give one to desktop apps.
 */
/**
 * SharedAuthOpenIDProvider:scopes:
 *
 * The scopes that a sign-in asks for; %NULL: `openid`, `profile` and `email`.
 */
/**
 * SharedAuthOpenIDProvider:redirect-path:
 *
 * The path of the redirect URI `http://127.0.0.1:PORT/PATH`, as registered with the OpenID provider. %NULL:
 * `/callback`, with a part that is derived from the issuer if the OpenID provider does not name itself in its
 * responses (RFC 9207).
 */
/**
 * SharedAuthOpenIDProvider:redirect-port:
 *
 * The port of the redirect URI, for OpenID providers that compare it; 0: any free port.
 */

/**
 * shared_auth_openid_provider_new:
 * @issuer: the issuer URL
 * @client_id: the client id
 *
 * Makes an identity provider. Nothing is sent yet.
 *
 * Returns: (transfer full): the provider
 */
SharedAuthOpenIDProvider *shared_auth_openid_provider_new (const char *issuer, const char *client_id);

#ifndef __swift__
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SharedAuthOpenIDProvider, g_object_unref)
#endif

#define SHARED_AUTH_TYPE_FIREBASE_PROVIDER (shared_auth_firebase_provider_get_type ())
#define SHARED_AUTH_FIREBASE_PROVIDER(object) \
  (G_TYPE_CHECK_INSTANCE_CAST ((object), SHARED_AUTH_TYPE_FIREBASE_PROVIDER, SharedAuthFirebaseProvider))
#define SHARED_AUTH_IS_FIREBASE_PROVIDER(object) \
  (G_TYPE_CHECK_INSTANCE_TYPE ((object), SHARED_AUTH_TYPE_FIREBASE_PROVIDER))

typedef struct _SharedAuthFirebaseProvider SharedAuthFirebaseProvider;
typedef struct _SharedAuthFirebaseProviderClass SharedAuthFirebaseProviderClass;

/**
 * SharedAuthFirebaseProvider:
 *
 * Signs users in at Firebase Authentication.
 */
struct _SharedAuthFirebaseProvider
{
  /*< private >*/
  SharedAuthIdentityProvider parent_instance;
};

struct _SharedAuthFirebaseProviderClass
{
  /*< private >*/
  SharedAuthIdentityProviderClass parent_class;
};

GType shared_auth_firebase_provider_get_type (void) G_GNUC_CONST;

/**
 * SharedAuthFirebaseProvider:api-key:
 *
 * The API key of the Firebase project; %NULL: the session's #SharedAuthSession:project is the key.
 */
/**
 * SharedAuthFirebaseProvider:emulator:
 *
 * The emulator to use in place of Firebase, as `host:port`.
 */
/**
 * SharedAuthFirebaseProvider:redirect-port:
 *
 * The port of the redirect URI, for services that compare it; 0: any free port.
 */

/**
 * shared_auth_firebase_provider_new:
 * @api_key: (nullable): the API key of the project
 *
 * Makes an identity provider. Nothing is sent yet.
 *
 * Returns: (transfer full): the provider
 */
SharedAuthFirebaseProvider *shared_auth_firebase_provider_new (const char *api_key);

#ifndef __swift__
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SharedAuthFirebaseProvider, g_object_unref)
#endif

#define SHARED_AUTH_TYPE_CUSTOM_PROVIDER (shared_auth_custom_provider_get_type ())
#define SHARED_AUTH_CUSTOM_PROVIDER(object) \
  (G_TYPE_CHECK_INSTANCE_CAST ((object), SHARED_AUTH_TYPE_CUSTOM_PROVIDER, SharedAuthCustomProvider))
#define SHARED_AUTH_IS_CUSTOM_PROVIDER(object) \
  (G_TYPE_CHECK_INSTANCE_TYPE ((object), SHARED_AUTH_TYPE_CUSTOM_PROVIDER))

typedef struct _SharedAuthCustomProvider SharedAuthCustomProvider;
typedef struct _SharedAuthCustomProviderClass SharedAuthCustomProviderClass;

/**
 * SharedAuthCustomProvider:
 *
 * Signs users in at a server of the app's own: each signal carries a #SharedAuthRequest, to be answered then or
 * later. The signals are emitted on the main context of the first session that the provider was given to.
 *
 * A request for which the signal has no handler is refused; but where `profile` has none, the user has a uid
 * alone, and where `revoke` has none, nothing is revoked.
 */
struct _SharedAuthCustomProvider
{
  /*< private >*/
  SharedAuthIdentityProvider parent_instance;
};

struct _SharedAuthCustomProviderClass
{
  /*< private >*/
  SharedAuthIdentityProviderClass parent_class;
};

GType shared_auth_custom_provider_get_type (void) G_GNUC_CONST;

/**
 * SharedAuthCustomProvider:issuer:
 *
 * Who issues the accounts, such as the address of the server. Only a provider of the same issuer refreshes them.
 */
/**
 * SharedAuthCustomProvider::sign-in:
 * @provider: the provider
 * @request: the request
 *
 * Asks for the tokens of a user who signs in; #SharedAuthRequest:kind says how.
 */
/**
 * SharedAuthCustomProvider::refresh:
 * @provider: the provider
 * @request: the request
 *
 * Asks for new tokens. However many processes show the user, one of them asks.
 */
/**
 * SharedAuthCustomProvider::profile:
 * @provider: the provider
 * @request: the request
 *
 * Asks who the user is.
 */
/**
 * SharedAuthCustomProvider::revoke:
 * @provider: the provider
 * @request: the request
 *
 * Asks to end a session.
 */

/**
 * shared_auth_custom_provider_new:
 * @issuer: who issues the accounts
 *
 * Makes an identity provider.
 *
 * Returns: (transfer full): the provider
 */
SharedAuthCustomProvider *shared_auth_custom_provider_new (const char *issuer);

#ifndef __swift__
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SharedAuthCustomProvider, g_object_unref)
#endif

G_END_DECLS
