#pragma once

#if !defined(SHARED_AUTH_GLIB_INSIDE) && !defined(SHARED_AUTH_COMPILATION)
#error "Only <sharedauth-glib.h> can be included directly."
#endif

#include <gio/gio.h>

#include "shared-auth-provider.h"

G_BEGIN_DECLS

#define SHARED_AUTH_TYPE_OPENID_PROVIDER (shared_auth_openid_provider_get_type ())

/**
 * SharedAuthOpenIDProvider:
 *
 * Signs users in at an OpenID provider, with [method@Session.sign_in_with_browser_async] or
 * [method@Session.sign_in_with_device_code_async].
 *
 * Since: 0.1
 */
G_DECLARE_FINAL_TYPE (SharedAuthOpenIDProvider, shared_auth_openid_provider, SHARED_AUTH,
                      OPENID_PROVIDER, SharedAuthIdentityProvider)

/**
 * SharedAuthOpenIDProvider:issuer:
 *
 * The issuer URL, exactly as the OpenID provider publishes it.
 *
 * Since: 0.1
 */
/**
 * SharedAuthOpenIDProvider:client-id:
 *
 * The client id that the OpenID provider assigned to the app.
 *
 * Since: 0.1
 */
/**
 * SharedAuthOpenIDProvider:client-secret:
 *
 * The client secret, if the OpenID provider assigns one to desktop apps.
 *
 * Since: 0.1
 */
/**
 * SharedAuthOpenIDProvider:scopes:
 *
 * The scopes that a sign-in requests, one in each element; %NULL for `openid`, `profile` and `email`.
 * With an empty list, or an element that is not one scope, sessions are
 * %SHARED_AUTH_STATE_UNAVAILABLE.
 *
 * Since: 0.1
 */
/**
 * SharedAuthOpenIDProvider:redirect-path:
 *
 * The path of the redirect URI that is registered with the OpenID provider; %NULL for `/callback`,
 * followed by a part derived from the issuer if the OpenID provider's responses do not name it
 * (RFC 9207).
 *
 * Since: 0.1
 */
/**
 * SharedAuthOpenIDProvider:redirect-port:
 *
 * The local port of the redirect URI, for OpenID providers that compare it; 0 for any free port.
 *
 * Since: 0.1
 */
/**
 * SharedAuthOpenIDProvider:redirect-host:
 *
 * The host name of the redirect URI: `127.0.0.1` or `localhost`; %NULL for `127.0.0.1`. With any other
 * text, sign-ins in the browser fail.
 *
 * Since: 0.1
 */
/**
 * SharedAuthOpenIDProvider:parameters:
 *
 * The parameters to add to the requests of sign-ins, each as `name=value`, such as `prompt=login` or
 * `audience=https://api.example.com`. An empty value leaves a parameter out. A parameter that the
 * library sets, such as `state`, makes sign-ins fail. With an element of another form, sessions are
 * %SHARED_AUTH_STATE_UNAVAILABLE.
 *
 * Since: 0.1
 */
/**
 * SharedAuthOpenIDProvider:adds-offline-access:
 *
 * Whether a sign-in adds the scope `offline_access` if the OpenID provider lists it; %TRUE by
 * default. A scope that was added is left out after the OpenID provider has refused it.
 *
 * Since: 0.1
 */
/**
 * SharedAuthOpenIDProvider:issuer-template:
 *
 * The issuers of all tenants, for an OpenID provider whose discovery document names such a template:
 * an https URL with `{tenantid}` in its path. It accepts the accounts of every tenant. %NULL accepts
 * only [property@OpenIDProvider:issuer].
 *
 * Since: 0.1
 */
/**
 * SharedAuthOpenIDProvider:redirect-uri:
 *
 * The redirect URI to register with the OpenID provider.
 *
 * An app sets it to an address of its own scheme, such as `com.example.mail:/signed-in`, if the desktop
 * is to open it with that address at the end of a sign-in in the browser: see
 * [method@Session.handle_uri]. With an address of another form, sessions are
 * %SHARED_AUTH_STATE_UNAVAILABLE. [property@OpenIDProvider:redirect-path], the port, the host and the page do
 * not matter then.
 *
 * Otherwise sign-ins return to a port of this machine, and this is that address. It has no port if any
 * is used. Without a [property@OpenIDProvider:redirect-path], it is %NULL until the first sign-in in the browser
 * begins, since it depends on what the OpenID provider says about itself; it notifies then.
 *
 * Since: 0.1
 */
/**
 * SharedAuthOpenIDProvider:page-title:
 *
 * The title of the page that the browser shows at the end of a sign-in; %NULL for a usual one, in the
 * language of the process. It is plain text, in the language of the process.
 *
 * Since: 0.1
 */
/**
 * SharedAuthOpenIDProvider:page-message:
 *
 * One or two sentences on the page that the browser shows at the end of a sign-in; %NULL for the usual
 * ones. It is plain text, in the language of the process.
 *
 * Since: 0.1
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
 *
 * Since: 0.1
 */
SharedAuthOpenIDProvider *shared_auth_openid_provider_new (const char *issuer,
                                                           const char *client_id);

/**
 * shared_auth_openid_provider_dup_issuer:
 * @provider: a [class@OpenIDProvider]
 *
 * Gets the issuer URL. See [property@OpenIDProvider:issuer].
 *
 * Returns: (transfer full): the text
 *
 * Since: 0.1
 */
char *shared_auth_openid_provider_dup_issuer (SharedAuthOpenIDProvider *provider);

/**
 * shared_auth_openid_provider_dup_client_id:
 * @provider: a [class@OpenIDProvider]
 *
 * Gets the client id. See [property@OpenIDProvider:client-id].
 *
 * Returns: (transfer full): the text
 *
 * Since: 0.1
 */
char *shared_auth_openid_provider_dup_client_id (SharedAuthOpenIDProvider *provider);

/**
 * shared_auth_openid_provider_dup_client_secret:
 * @provider: a [class@OpenIDProvider]
 *
 * Gets the client secret. See [property@OpenIDProvider:client-secret].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_openid_provider_dup_client_secret (SharedAuthOpenIDProvider *provider);

/**
 * shared_auth_openid_provider_dup_scopes:
 * @provider: a [class@OpenIDProvider]
 *
 * Gets the scopes that a sign-in requests. See [property@OpenIDProvider:scopes].
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): the list
 *
 * Since: 0.1
 */
char **shared_auth_openid_provider_dup_scopes (SharedAuthOpenIDProvider *provider);

/**
 * shared_auth_openid_provider_dup_redirect_path:
 * @provider: a [class@OpenIDProvider]
 *
 * Gets the path of the redirect URI. See [property@OpenIDProvider:redirect-path].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_openid_provider_dup_redirect_path (SharedAuthOpenIDProvider *provider);

/**
 * shared_auth_openid_provider_get_redirect_port:
 * @provider: a [class@OpenIDProvider]
 *
 * Gets the local port of the redirect URI. See [property@OpenIDProvider:redirect-port].
 *
 * Returns: the number
 *
 * Since: 0.1
 */
guint shared_auth_openid_provider_get_redirect_port (SharedAuthOpenIDProvider *provider);

/**
 * shared_auth_openid_provider_dup_redirect_host:
 * @provider: a [class@OpenIDProvider]
 *
 * Gets the host name of the redirect URI. See [property@OpenIDProvider:redirect-host].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_openid_provider_dup_redirect_host (SharedAuthOpenIDProvider *provider);

/**
 * shared_auth_openid_provider_dup_parameters:
 * @provider: a [class@OpenIDProvider]
 *
 * Gets the parameters to add to the requests of sign-ins. See
 * [property@OpenIDProvider:parameters].
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): the list
 *
 * Since: 0.1
 */
char **shared_auth_openid_provider_dup_parameters (SharedAuthOpenIDProvider *provider);

/**
 * shared_auth_openid_provider_get_adds_offline_access:
 * @provider: a [class@OpenIDProvider]
 *
 * Returns whether a sign-in adds the scope `offline_access`. See [property@OpenIDProvider:adds-
 * offline-access].
 *
 * Returns: %TRUE if so
 *
 * Since: 0.1
 */
gboolean shared_auth_openid_provider_get_adds_offline_access (SharedAuthOpenIDProvider *provider);

/**
 * shared_auth_openid_provider_dup_issuer_template:
 * @provider: a [class@OpenIDProvider]
 *
 * Gets the issuers of all tenants. See [property@OpenIDProvider:issuer-template].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_openid_provider_dup_issuer_template (SharedAuthOpenIDProvider *provider);

/**
 * shared_auth_openid_provider_dup_redirect_uri:
 * @provider: a [class@OpenIDProvider]
 *
 * Gets the redirect URI of sign-ins in the browser. See [property@OpenIDProvider:redirect-uri].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_openid_provider_dup_redirect_uri (SharedAuthOpenIDProvider *provider);

/**
 * shared_auth_openid_provider_dup_page_title:
 * @provider: a [class@OpenIDProvider]
 *
 * Gets the title of the browser's last page. See [property@OpenIDProvider:page-title].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_openid_provider_dup_page_title (SharedAuthOpenIDProvider *provider);

/**
 * shared_auth_openid_provider_dup_page_message:
 * @provider: a [class@OpenIDProvider]
 *
 * Gets the text of the browser's last page. See [property@OpenIDProvider:page-message].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_openid_provider_dup_page_message (SharedAuthOpenIDProvider *provider);

G_END_DECLS
