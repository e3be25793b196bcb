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
 * SharedAuthFirebaseProvider:redirect-uri:
 *
 * The redirect URI to register with the sign-in services: an address of this machine. It has no port if
 * any is used. It is %NULL until the first sign-in in the browser begins, and notifies then.
 *
 * Since: 0.1
 */
/**
 * SharedAuthFirebaseProvider:page-title:
 *
 * The title of the page that the browser shows at the end of a sign-in; %NULL for a usual one, in the
 * language of the process. It is plain text, in the language of the process.
 *
 * Since: 0.1
 */
/**
 * SharedAuthFirebaseProvider:page-message:
 *
 * One or two sentences on the page that the browser shows at the end of a sign-in; %NULL for the usual
 * ones. It is plain text, in the language of the process.
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

/**
 * shared_auth_firebase_provider_dup_redirect_uri:
 * @provider: a [class@FirebaseProvider]
 *
 * Gets the redirect URI of sign-ins in the browser. See [property@FirebaseProvider:redirect-uri].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_firebase_provider_dup_redirect_uri (SharedAuthFirebaseProvider *provider);

/**
 * shared_auth_firebase_provider_dup_page_title:
 * @provider: a [class@FirebaseProvider]
 *
 * Gets the title of the browser's last page. See [property@FirebaseProvider:page-title].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_firebase_provider_dup_page_title (SharedAuthFirebaseProvider *provider);

/**
 * shared_auth_firebase_provider_dup_page_message:
 * @provider: a [class@FirebaseProvider]
 *
 * Gets the text of the browser's last page. See [property@FirebaseProvider:page-message].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_firebase_provider_dup_page_message (SharedAuthFirebaseProvider *provider);

G_END_DECLS
