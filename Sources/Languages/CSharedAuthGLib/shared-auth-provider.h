#pragma once

#include <gio/gio.h>

#include "shared-auth-request.h"

G_BEGIN_DECLS

#define SHARED_AUTH_TYPE_IDENTITY_PROVIDER (shared_auth_identity_provider_get_type ())
#define SHARED_AUTH_IDENTITY_PROVIDER(object) \
  (G_TYPE_CHECK_INSTANCE_CAST ((object), SHARED_AUTH_TYPE_IDENTITY_PROVIDER, \
                               SharedAuthIdentityProvider))
#define SHARED_AUTH_IS_IDENTITY_PROVIDER(object) \
  (G_TYPE_CHECK_INSTANCE_TYPE ((object), SHARED_AUTH_TYPE_IDENTITY_PROVIDER))

typedef struct _SharedAuthIdentityProvider SharedAuthIdentityProvider;
typedef struct _SharedAuthIdentityProviderClass SharedAuthIdentityProviderClass;

/**
 * SharedAuthIdentityProvider:
 *
 * The abstract base class of the identity providers, which sign users in. One identity provider can
 * serve several sessions.
 *
 * The class has no virtual functions. Creating an object of a class outside this library that derives
 * from it directly logs a critical, and a session with such an identity provider has the state
 * %SHARED_AUTH_STATE_UNAVAILABLE. To implement an identity provider, use a [class@CustomProvider].
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
#define SHARED_AUTH_IS_LOCAL_PROVIDER(object) \
  (G_TYPE_CHECK_INSTANCE_TYPE ((object), SHARED_AUTH_TYPE_LOCAL_PROVIDER))

typedef struct _SharedAuthLocalProvider SharedAuthLocalProvider;
typedef struct _SharedAuthLocalProviderClass SharedAuthLocalProviderClass;

/**
 * SharedAuthLocalProvider:
 *
 * Signs users in without a server. The accounts are kept in the store of the session; all apps of
 * the project share them.
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
 * Creates a local identity provider.
 *
 * Returns: (transfer full): a new [class@LocalProvider]
 */
SharedAuthLocalProvider *shared_auth_local_provider_new (void);

#ifndef __swift__
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SharedAuthLocalProvider, g_object_unref)
#endif

#define SHARED_AUTH_TYPE_OPENID_PROVIDER (shared_auth_openid_provider_get_type ())
#define SHARED_AUTH_OPENID_PROVIDER(object) \
  (G_TYPE_CHECK_INSTANCE_CAST ((object), SHARED_AUTH_TYPE_OPENID_PROVIDER, \
                               SharedAuthOpenIDProvider))
#define SHARED_AUTH_IS_OPENID_PROVIDER(object) \
  (G_TYPE_CHECK_INSTANCE_TYPE ((object), SHARED_AUTH_TYPE_OPENID_PROVIDER))

typedef struct _SharedAuthOpenIDProvider SharedAuthOpenIDProvider;
typedef struct _SharedAuthOpenIDProviderClass SharedAuthOpenIDProviderClass;

/**
 * SharedAuthOpenIDProvider:
 *
 * Signs users in at an OpenID provider, with [method@Session.sign_in_with_browser_async] or
 * [method@Session.sign_in_with_device_code_async].
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
 * The issuer URL, exactly as the OpenID provider publishes it.
 */
/**
 * SharedAuthOpenIDProvider:client-id:
 *
 * The client id that the OpenID provider assigned to the app.
 */
/**
 * SharedAuthOpenIDProvider:client-secret:
 *
 * The client secret, if the OpenID provider assigns one to desktop apps.
 */
/**
 * SharedAuthOpenIDProvider:scopes:
 *
 * The scopes that a sign-in requests, one in each element; %NULL for `openid`, `profile` and `email`.
 * With an empty list, or an element that is not one scope, sessions are
 * %SHARED_AUTH_STATE_UNAVAILABLE.
 */
/**
 * SharedAuthOpenIDProvider:redirect-path:
 *
 * The path of the redirect URI that is registered with the OpenID provider; %NULL for `/callback`,
 * followed by a part derived from the issuer if the OpenID provider's responses do not name it
 * (RFC 9207).
 */
/**
 * SharedAuthOpenIDProvider:redirect-port:
 *
 * The local port of the redirect URI, for OpenID providers that compare it; 0 for any free port.
 */
/**
 * SharedAuthOpenIDProvider:redirect-host:
 *
 * The host name of the redirect URI: `127.0.0.1` or `localhost`; %NULL for `127.0.0.1`. With any other
 * text, sign-ins in the browser fail.
 */
/**
 * SharedAuthOpenIDProvider:parameters:
 *
 * The parameters to add to the requests of sign-ins, each as `name=value`, such as `prompt=login` or
 * `audience=https://api.example.com`. An empty value leaves a parameter out. A parameter that the
 * library sets, such as `state`, makes sign-ins fail. With an element of another form, sessions are
 * %SHARED_AUTH_STATE_UNAVAILABLE.
 */
/**
 * SharedAuthOpenIDProvider:adds-offline-access:
 *
 * Whether a sign-in adds the scope `offline_access` if the OpenID provider lists it; %TRUE by
 * default. A scope that was added is left out after the OpenID provider has refused it.
 */
/**
 * SharedAuthOpenIDProvider:issuer-template:
 *
 * The issuers of all tenants, for an OpenID provider whose discovery document names such a template:
 * an https URL with `{tenantid}` in its path. It accepts the accounts of every tenant. %NULL accepts
 * only [property@OpenIDProvider:issuer].
 */

/**
 * shared_auth_openid_provider_new:
 * @issuer: the issuer URL
 * @client_id: the client id
 *
 * Creates an identity provider for an OpenID provider. No request is sent before the first sign-in
 * or refresh.
 *
 * Returns: (transfer full): a new [class@OpenIDProvider]
 */
SharedAuthOpenIDProvider *shared_auth_openid_provider_new (const char *issuer,
                                                           const char *client_id);

#ifndef __swift__
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SharedAuthOpenIDProvider, g_object_unref)
#endif

#define SHARED_AUTH_TYPE_FIREBASE_PROVIDER (shared_auth_firebase_provider_get_type ())
#define SHARED_AUTH_FIREBASE_PROVIDER(object) \
  (G_TYPE_CHECK_INSTANCE_CAST ((object), SHARED_AUTH_TYPE_FIREBASE_PROVIDER, \
                               SharedAuthFirebaseProvider))
#define SHARED_AUTH_IS_FIREBASE_PROVIDER(object) \
  (G_TYPE_CHECK_INSTANCE_TYPE ((object), SHARED_AUTH_TYPE_FIREBASE_PROVIDER))

typedef struct _SharedAuthFirebaseProvider SharedAuthFirebaseProvider;
typedef struct _SharedAuthFirebaseProviderClass SharedAuthFirebaseProviderClass;

/**
 * SharedAuthFirebaseProvider:
 *
 * Signs users in with Firebase Authentication.
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
 * The API key of the Firebase project; %NULL to use the session's [property@Session:project] as the
 * key.
 */
/**
 * SharedAuthFirebaseProvider:emulator:
 *
 * The address of the emulator to use instead of Firebase, as `host:port`.
 */
/**
 * SharedAuthFirebaseProvider:redirect-port:
 *
 * The local port of the redirect URI that is registered with the sign-in services; 0 for any free
 * port.
 */

/**
 * shared_auth_firebase_provider_new:
 * @api_key: (nullable): the API key of the project
 *
 * Creates an identity provider for Firebase Authentication. No request is sent before the first
 * sign-in or refresh.
 *
 * Returns: (transfer full): a new [class@FirebaseProvider]
 */
SharedAuthFirebaseProvider *shared_auth_firebase_provider_new (const char *api_key);

#ifndef __swift__
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SharedAuthFirebaseProvider, g_object_unref)
#endif

#define SHARED_AUTH_TYPE_CUSTOM_PROVIDER (shared_auth_custom_provider_get_type ())
#define SHARED_AUTH_CUSTOM_PROVIDER(object) \
  (G_TYPE_CHECK_INSTANCE_CAST ((object), SHARED_AUTH_TYPE_CUSTOM_PROVIDER, \
                               SharedAuthCustomProvider))
#define SHARED_AUTH_IS_CUSTOM_PROVIDER(object) \
  (G_TYPE_CHECK_INSTANCE_TYPE ((object), SHARED_AUTH_TYPE_CUSTOM_PROVIDER))

typedef struct _SharedAuthCustomProvider SharedAuthCustomProvider;
typedef struct _SharedAuthCustomProviderClass SharedAuthCustomProviderClass;

/**
 * SharedAuthCustomProvider:
 *
 * Signs users in at the app's own server. Each signal passes a [class@Request], which the handler
 * completes immediately or later. A signal is emitted in the main context of the session whose call
 * needs the response; if no call does, as in an automatic refresh, in that of a session that has not
 * ended.
 *
 * A request whose signal has no handler fails with %SHARED_AUTH_ERROR_OPERATION_NOT_ALLOWED, with
 * two exceptions: without a handler for [signal@CustomProvider::profile], a sign-in succeeds and
 * the user has only a uid; without a handler for [signal@CustomProvider::revoke], sessions are not
 * revoked.
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
 * The issuer of the accounts, such as the address of the server. Only an identity provider of the
 * same issuer refreshes their tokens.
 */
/**
 * SharedAuthCustomProvider::sign-in:
 * @provider: the provider
 * @request: the request
 *
 * Emitted when a user signs in, to get the user's tokens. [property@Request:kind] is the kind of
 * sign-in.
 */
/**
 * SharedAuthCustomProvider::refresh:
 * @provider: the provider
 * @request: the request
 *
 * Emitted to get new tokens. If several processes share the user, only one of them emits the
 * signal.
 */
/**
 * SharedAuthCustomProvider::profile:
 * @provider: the provider
 * @request: the request
 *
 * Emitted after a sign-in and for [method@Session.reload_async], to get the user's profile.
 */
/**
 * SharedAuthCustomProvider::revoke:
 * @provider: the provider
 * @request: the request
 *
 * Emitted after a sign-out, and after a sign-in that is too late or cannot be stored, to end the
 * session at the server.
 */

/**
 * shared_auth_custom_provider_new:
 * @issuer: the issuer of the accounts
 *
 * Creates an identity provider for the app's own server.
 *
 * Returns: (transfer full): a new [class@CustomProvider]
 */
SharedAuthCustomProvider *shared_auth_custom_provider_new (const char *issuer);

#ifndef __swift__
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SharedAuthCustomProvider, g_object_unref)
#endif

G_END_DECLS
