#pragma once

#if !defined(SHARED_AUTH_GLIB_INSIDE) && !defined(SHARED_AUTH_COMPILATION)
#error "Only <sharedauth-glib.h> can be included directly."
#endif

#include <gio/gio.h>

#include "shared-auth-provider.h"
#include "shared-auth-request.h"

G_BEGIN_DECLS

#define SHARED_AUTH_TYPE_CUSTOM_PROVIDER (shared_auth_custom_provider_get_type ())
#ifndef __GI_SCANNER__
#define SHARED_AUTH_CUSTOM_PROVIDER(object) \
  (G_TYPE_CHECK_INSTANCE_CAST ((object), SHARED_AUTH_TYPE_CUSTOM_PROVIDER, \
                               SharedAuthCustomProvider))
#define SHARED_AUTH_IS_CUSTOM_PROVIDER(object) \
  (G_TYPE_CHECK_INSTANCE_TYPE ((object), SHARED_AUTH_TYPE_CUSTOM_PROVIDER))
#endif

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
 *
 * Since: 0.1
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

  /* Room for virtual functions. */
  gpointer padding[8];
};

GType shared_auth_custom_provider_get_type (void) G_GNUC_CONST;

/**
 * SharedAuthCustomProvider:issuer:
 *
 * The issuer of the accounts, such as the address of the server. Only an identity provider of the
 * same issuer refreshes their tokens.
 *
 * Since: 0.1
 */
/**
 * SharedAuthCustomProvider::sign-in:
 * @provider: the provider
 * @request: the request
 *
 * Emitted when a user signs in, to get the user's tokens. [property@Request:kind] is the kind of
 * sign-in.
 *
 * Since: 0.1
 */
/**
 * SharedAuthCustomProvider::refresh:
 * @provider: the provider
 * @request: the request
 *
 * Emitted to get new tokens. If several processes share the user, only one of them emits the
 * signal.
 *
 * Since: 0.1
 */
/**
 * SharedAuthCustomProvider::profile:
 * @provider: the provider
 * @request: the request
 *
 * Emitted after a sign-in and for [method@Session.reload_async], to get the user's profile.
 *
 * Since: 0.1
 */
/**
 * SharedAuthCustomProvider::revoke:
 * @provider: the provider
 * @request: the request
 *
 * Emitted after a sign-out, and after a sign-in that is too late or cannot be stored, to end the
 * session at the server.
 *
 * Since: 0.1
 */

/**
 * shared_auth_custom_provider_new:
 * @issuer: the issuer of the accounts
 *
 * Creates an identity provider for the app's own server.
 *
 * Returns: (transfer full): a new [class@CustomProvider]
 *
 * Since: 0.1
 */
SharedAuthCustomProvider *shared_auth_custom_provider_new (const char *issuer);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SharedAuthCustomProvider, g_object_unref)

/**
 * shared_auth_custom_provider_dup_issuer:
 * @provider: a [class@CustomProvider]
 *
 * Gets the issuer of the accounts. See [property@CustomProvider:issuer].
 *
 * Returns: (transfer full): the text
 *
 * Since: 0.1
 */
char *shared_auth_custom_provider_dup_issuer (SharedAuthCustomProvider *provider);

G_END_DECLS
