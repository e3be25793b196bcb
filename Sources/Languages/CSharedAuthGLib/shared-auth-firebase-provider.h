#pragma once

#if !defined(SHARED_AUTH_GLIB_INSIDE) && !defined(SHARED_AUTH_COMPILATION)
#error "Only <sharedauth-glib.h> can be included directly."
#endif

#include <gio/gio.h>

#include "shared-auth-provider.h"

G_BEGIN_DECLS

#define SHARED_AUTH_TYPE_FIREBASE_PROVIDER (shared_auth_firebase_provider_get_type ())

/**
 * SharedAuthFirebaseProvider:
 *
 * Signs users in with Firebase Authentication.
 *
 * Since: 0.1
 */
G_DECLARE_FINAL_TYPE (SharedAuthFirebaseProvider, shared_auth_firebase_provider, SHARED_AUTH,
                      FIREBASE_PROVIDER, SharedAuthIdentityProvider)

/**
 * SharedAuthFirebaseProvider:api-key:
 *
 * The API key of the Firebase project; %NULL to use the session's [property@Session:project] as the
 * key.
 *
 * Since: 0.1
 */
/**
 * SharedAuthFirebaseProvider:emulator:
 *
 * The address of the emulator to use instead of Firebase, as `host:port`.
 *
 * Since: 0.1
 */
/**
 * SharedAuthFirebaseProvider:redirect-port:
 *
 * The local port of the redirect URI that is registered with the sign-in services; 0 for any free
 * port.
 *
 * Since: 0.1
 */

/**
 * shared_auth_firebase_provider_new:
 * @api_key: (nullable): the API key of the project
 *
 * Creates an identity provider for Firebase Authentication. No request is sent before the first
 * sign-in or refresh.
 *
 * Returns: (transfer full): a new [class@FirebaseProvider]
 *
 * Since: 0.1
 */
SharedAuthFirebaseProvider *shared_auth_firebase_provider_new (const char *api_key);

/**
 * shared_auth_firebase_provider_dup_api_key:
 * @provider: a [class@FirebaseProvider]
 *
 * Gets the API key of the project. See [property@FirebaseProvider:api-key].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_firebase_provider_dup_api_key (SharedAuthFirebaseProvider *provider);

/**
 * shared_auth_firebase_provider_dup_emulator:
 * @provider: a [class@FirebaseProvider]
 *
 * Gets the address of the emulator. See [property@FirebaseProvider:emulator].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_firebase_provider_dup_emulator (SharedAuthFirebaseProvider *provider);

/**
 * shared_auth_firebase_provider_get_redirect_port:
 * @provider: a [class@FirebaseProvider]
 *
 * Gets the local port of the redirect URI. See [property@FirebaseProvider:redirect-port].
 *
 * Returns: the number
 *
 * Since: 0.1
 */
guint shared_auth_firebase_provider_get_redirect_port (SharedAuthFirebaseProvider *provider);

G_END_DECLS
