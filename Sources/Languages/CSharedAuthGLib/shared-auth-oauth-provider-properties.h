#pragma once

#if !defined(SHARED_AUTH_GLIB_INSIDE) && !defined(SHARED_AUTH_COMPILATION)
#error "Only <sharedauth-glib.h> can be included directly."
#endif

#include <gio/gio.h>

#include "shared-auth-oauth-provider.h"

G_BEGIN_DECLS

/**
 * shared_auth_oauth_provider_dup_issuer:
 * @provider: a [class@OAuthProvider]
 *
 * Gets the issuer URL. See [property@OAuthProvider:issuer].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_oauth_provider_dup_issuer (SharedAuthOAuthProvider *provider);

/**
 * shared_auth_oauth_provider_dup_authorization_endpoint:
 * @provider: a [class@OAuthProvider]
 *
 * Gets the URL of the sign-in page. See [property@OAuthProvider:authorization-endpoint].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_oauth_provider_dup_authorization_endpoint (SharedAuthOAuthProvider *provider);

/**
 * shared_auth_oauth_provider_dup_token_endpoint:
 * @provider: a [class@OAuthProvider]
 *
 * Gets the URL that exchanges codes for tokens. See [property@OAuthProvider:token-endpoint].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_oauth_provider_dup_token_endpoint (SharedAuthOAuthProvider *provider);

/**
 * shared_auth_oauth_provider_dup_device_endpoint:
 * @provider: a [class@OAuthProvider]
 *
 * Gets the URL that issues device codes. See [property@OAuthProvider:device-endpoint].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_oauth_provider_dup_device_endpoint (SharedAuthOAuthProvider *provider);

/**
 * shared_auth_oauth_provider_dup_revocation_endpoint:
 * @provider: a [class@OAuthProvider]
 *
 * Gets the URL that ends sessions. See [property@OAuthProvider:revocation-endpoint].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_oauth_provider_dup_revocation_endpoint (SharedAuthOAuthProvider *provider);

/**
 * shared_auth_oauth_provider_dup_registration_endpoint:
 * @provider: a [class@OAuthProvider]
 *
 * Gets the URL at which apps register. See [property@OAuthProvider:registration-endpoint].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_oauth_provider_dup_registration_endpoint (SharedAuthOAuthProvider *provider);

/**
 * shared_auth_oauth_provider_dup_user_endpoint:
 * @provider: a [class@OAuthProvider]
 *
 * Gets the URL that describes the user. See [property@OAuthProvider:user-endpoint].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_oauth_provider_dup_user_endpoint (SharedAuthOAuthProvider *provider);

/**
 * shared_auth_oauth_provider_dup_uid_member:
 * @provider: a [class@OAuthProvider]
 *
 * Gets the member that has the user's id. See [property@OAuthProvider:uid-member].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_oauth_provider_dup_uid_member (SharedAuthOAuthProvider *provider);

/**
 * shared_auth_oauth_provider_dup_introspection_endpoint:
 * @provider: a [class@OAuthProvider]
 *
 * Gets the URL that describes a token. See [property@OAuthProvider:introspection-endpoint].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_oauth_provider_dup_introspection_endpoint (SharedAuthOAuthProvider *provider);

/**
 * shared_auth_oauth_provider_dup_client_id:
 * @provider: a [class@OAuthProvider]
 *
 * Gets the client id. See [property@OAuthProvider:client-id].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_oauth_provider_dup_client_id (SharedAuthOAuthProvider *provider);

/**
 * shared_auth_oauth_provider_dup_client_secret:
 * @provider: a [class@OAuthProvider]
 *
 * Gets the client secret. See [property@OAuthProvider:client-secret].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_oauth_provider_dup_client_secret (SharedAuthOAuthProvider *provider);

/**
 * shared_auth_oauth_provider_dup_client_name:
 * @provider: a [class@OAuthProvider]
 *
 * Gets the name with which the app registers. See [property@OAuthProvider:client-name].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_oauth_provider_dup_client_name (SharedAuthOAuthProvider *provider);

/**
 * shared_auth_oauth_provider_dup_registration_token:
 * @provider: a [class@OAuthProvider]
 *
 * Gets the token that allows to register. See [property@OAuthProvider:registration-token].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_oauth_provider_dup_registration_token (SharedAuthOAuthProvider *provider);

/**
 * shared_auth_oauth_provider_dup_scopes:
 * @provider: a [class@OAuthProvider]
 *
 * Gets the scopes that a sign-in requests. See [property@OAuthProvider:scopes].
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): the list
 *
 * Since: 0.1
 */
char **shared_auth_oauth_provider_dup_scopes (SharedAuthOAuthProvider *provider);

/**
 * shared_auth_oauth_provider_dup_resources:
 * @provider: a [class@OAuthProvider]
 *
 * Gets the resource servers that access tokens are for. See [property@OAuthProvider:resources].
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): the list
 *
 * Since: 0.1
 */
char **shared_auth_oauth_provider_dup_resources (SharedAuthOAuthProvider *provider);

/**
 * shared_auth_oauth_provider_dup_redirect_path:
 * @provider: a [class@OAuthProvider]
 *
 * Gets the path of the redirect URI. See [property@OAuthProvider:redirect-path].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_oauth_provider_dup_redirect_path (SharedAuthOAuthProvider *provider);

/**
 * shared_auth_oauth_provider_get_redirect_port:
 * @provider: a [class@OAuthProvider]
 *
 * Gets the local port of the redirect URI. See [property@OAuthProvider:redirect-port].
 *
 * Returns: the number
 *
 * Since: 0.1
 */
guint shared_auth_oauth_provider_get_redirect_port (SharedAuthOAuthProvider *provider);

/**
 * shared_auth_oauth_provider_dup_redirect_host:
 * @provider: a [class@OAuthProvider]
 *
 * Gets the host name of the redirect URI. See [property@OAuthProvider:redirect-host].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_oauth_provider_dup_redirect_host (SharedAuthOAuthProvider *provider);

/**
 * shared_auth_oauth_provider_dup_parameters:
 * @provider: a [class@OAuthProvider]
 *
 * Gets the parameters to add to the requests of sign-ins. See
 * [property@OAuthProvider:parameters].
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): the list
 *
 * Since: 0.1
 */
char **shared_auth_oauth_provider_dup_parameters (SharedAuthOAuthProvider *provider);

/**
 * shared_auth_oauth_provider_dup_redirect_uri:
 * @provider: a [class@OAuthProvider]
 *
 * Gets the redirect URI of sign-ins in the browser. See [property@OAuthProvider:redirect-uri].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_oauth_provider_dup_redirect_uri (SharedAuthOAuthProvider *provider);

/**
 * shared_auth_oauth_provider_dup_page_title:
 * @provider: a [class@OAuthProvider]
 *
 * Gets the title of the browser's last page. See [property@OAuthProvider:page-title].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_oauth_provider_dup_page_title (SharedAuthOAuthProvider *provider);

/**
 * shared_auth_oauth_provider_dup_page_message:
 * @provider: a [class@OAuthProvider]
 *
 * Gets the text of the browser's last page. See [property@OAuthProvider:page-message].
 *
 * Returns: (transfer full) (nullable): the text
 *
 * Since: 0.1
 */
char *shared_auth_oauth_provider_dup_page_message (SharedAuthOAuthProvider *provider);

G_END_DECLS
