#pragma once

#if !defined(SHARED_AUTH_GLIB_INSIDE) && !defined(SHARED_AUTH_COMPILATION)
#error "Only <sharedauth-glib.h> can be included directly."
#endif

#include <gio/gio.h>

G_BEGIN_DECLS

#define SHARED_AUTH_TYPE_IDENTITY_PROVIDER (shared_auth_identity_provider_get_type ())
#ifndef __GI_SCANNER__
#define SHARED_AUTH_IDENTITY_PROVIDER(object) \
  (G_TYPE_CHECK_INSTANCE_CAST ((object), SHARED_AUTH_TYPE_IDENTITY_PROVIDER, \
                               SharedAuthIdentityProvider))
#define SHARED_AUTH_IS_IDENTITY_PROVIDER(object) \
  (G_TYPE_CHECK_INSTANCE_TYPE ((object), SHARED_AUTH_TYPE_IDENTITY_PROVIDER))
#endif

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
 *
 * Since: 0.1
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

  /* Room for virtual functions. */
  gpointer padding[8];
};

GType shared_auth_identity_provider_get_type (void) G_GNUC_CONST;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SharedAuthIdentityProvider, g_object_unref)

#define SHARED_AUTH_TYPE_LOCAL_PROVIDER (shared_auth_local_provider_get_type ())

/**
 * SharedAuthLocalProvider:
 *
 * Signs users in without a server. The accounts are kept in the store of the session; all apps of
 * the project share them.
 *
 * Since: 0.1
 */
G_DECLARE_FINAL_TYPE (SharedAuthLocalProvider, shared_auth_local_provider, SHARED_AUTH,
                      LOCAL_PROVIDER, SharedAuthIdentityProvider)

/**
 * shared_auth_local_provider_new:
 *
 * Creates a local identity provider.
 *
 * Returns: (transfer full): a new [class@LocalProvider]
 *
 * Since: 0.1
 */
SharedAuthLocalProvider *shared_auth_local_provider_new (void);

G_END_DECLS
