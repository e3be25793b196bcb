#pragma once

#if !defined(SHARED_AUTH_GLIB_INSIDE) && !defined(SHARED_AUTH_COMPILATION)
#error "Only <sharedauth-glib.h> can be included directly."
#endif

#include <gio/gio.h>

#include "shared-auth-provider.h"

G_BEGIN_DECLS

#define SHARED_AUTH_TYPE_OAUTH_PROVIDER (shared_auth_oauth_provider_get_type ())

/**
 * SharedAuthOAuthProvider:
 *
 * Signs users in at a plain OAuth 2 server, which issues access tokens and no ID tokens, such as a code
 * host's or a feed service's, with [method@Session.sign_in_with_browser_async] or
 * [method@Session.sign_in_with_device_code_async].
 *
 * A user's uid is what the server says about the holder of the access token. Calls for ID tokens fail
 * with %SHARED_AUTH_ERROR_OPERATION_NOT_ALLOWED; [method@Session.get_access_token_async] returns the
 * tokens. Without a refresh token, the session ends with its access token.
 *
 * Since: 0.1
 */
G_DECLARE_FINAL_TYPE (SharedAuthOAuthProvider, shared_auth_oauth_provider, SHARED_AUTH,
                      OAUTH_PROVIDER, SharedAuthIdentityProvider)

/**
 * SharedAuthOAuthProvider:issuer:
 *
 * The issuer URL, exactly as the server writes it in its metadata (RFC 8414), which has the
 * endpoints. If [property@OAuthProvider:token-endpoint] is set, the endpoints are those of the
 * properties, and this is the name of itself that the server sends with a redirect (RFC 9207), or
 * %NULL if it sends none: a redirect from another issuer is refused.
 *
 * Since: 0.1
 */
/**
 * SharedAuthOAuthProvider:authorization-endpoint:
 *
 * The URL of the sign-in page of a server without metadata; %NULL if users sign in with device
 * codes only. All endpoints are https, or http on this machine.
 *
 * Since: 0.1
 */
/**
 * SharedAuthOAuthProvider:token-endpoint:
 *
 * The URL at which a server without metadata exchanges codes for tokens.
 *
 * Since: 0.1
 */
/**
 * SharedAuthOAuthProvider:device-endpoint:
 *
 * The URL at which a server without metadata issues device codes (RFC 8628).
 *
 * Since: 0.1
 */
/**
 * SharedAuthOAuthProvider:revocation-endpoint:
 *
 * The URL at which a server without metadata ends sessions (RFC 7009).
 *
 * Since: 0.1
 */
/**
 * SharedAuthOAuthProvider:registration-endpoint:
 *
 * The URL at which apps register with a server without metadata (RFC 7591).
 *
 * Since: 0.1
 */
/**
 * SharedAuthOAuthProvider:user-endpoint:
 *
 * The URL that describes the holder of an access token as JSON, such as
 * `https://api.example.com/user`; %NULL for what the metadata of the server names. A server
 * without metadata needs it, or [property@OAuthProvider:introspection-endpoint].
 *
 * Since: 0.1
 */
/**
 * SharedAuthOAuthProvider:uid-member:
 *
 * The member in the answer of [property@OAuthProvider:user-endpoint] that never changes for a
 * user and that no other user has, with dots for a member of a member, such as `user.id`; %NULL
 * for `sub`, or `id` if there is no `sub`.
 *
 * Since: 0.1
 */
/**
 * SharedAuthOAuthProvider:introspection-endpoint:
 *
 * The URL that describes a token (RFC 7662), for a server that has no
 * [property@OAuthProvider:user-endpoint].
 *
 * Since: 0.1
 */
/**
 * SharedAuthOAuthProvider:client-id:
 *
 * The client id that the server assigned to the app; %NULL if the app registers itself.
 *
 * Since: 0.1
 */
/**
 * SharedAuthOAuthProvider:client-secret:
 *
 * The client secret, if the server assigns one to desktop apps.
 *
 * Since: 0.1
 */
/**
 * SharedAuthOAuthProvider:client-name:
 *
 * The name of an app that has no [property@OAuthProvider:client-id] and registers with the server
 * (RFC 7591) at the first sign-in, for all apps of the project.
 *
 * Since: 0.1
 */
/**
 * SharedAuthOAuthProvider:registration-token:
 *
 * The token that allows to register, if the server requires one.
 *
 * Since: 0.1
 */
/**
 * SharedAuthOAuthProvider:scopes:
 *
 * The scopes that a sign-in requests, one in each element; %NULL for none. With an empty list, or
 * an element that is not one scope, sessions are %SHARED_AUTH_STATE_UNAVAILABLE.
 *
 * Since: 0.1
 */
/**
 * SharedAuthOAuthProvider:resources:
 *
 * The URLs of the resource servers that access tokens are for (RFC 8707); %NULL if the server
 * decides.
 *
 * Since: 0.1
 */
/**
 * SharedAuthOAuthProvider:redirect-path:
 *
 * The path of the redirect URI that is registered with the server; %NULL for `/callback`,
 * followed by a part derived from the issuer if the server does not name itself in its redirects
 * (RFC 9207).
 *
 * Since: 0.1
 */
/**
 * SharedAuthOAuthProvider:redirect-port:
 *
 * The local port of the redirect URI, for servers that compare it; 0 for any free port.
 *
 * Since: 0.1
 */
/**
 * SharedAuthOAuthProvider:redirect-host:
 *
 * The host name of the redirect URI: `127.0.0.1` or `localhost`; %NULL for `127.0.0.1`. With any
 * other text, sign-ins in the browser fail.
 *
 * Since: 0.1
 */
/**
 * SharedAuthOAuthProvider:parameters:
 *
 * The parameters to add to the requests of sign-ins, each as `name=value`. An empty value leaves
 * a parameter out. A parameter that the library sets, such as `state`, makes sign-ins fail. With
 * an element of another form, sessions are %SHARED_AUTH_STATE_UNAVAILABLE.
 *
 * Since: 0.1
 */
/**
 * SharedAuthOAuthProvider:redirect-uri:
 *
 * The redirect URI to register with the server.
 *
 * An app sets it to an address of its own scheme, such as `com.example.mail:/signed-in`, if the desktop
 * is to open it with that address at the end of a sign-in in the browser: see
 * [method@Session.handle_uri]. With an address of another form, sessions are
 * %SHARED_AUTH_STATE_UNAVAILABLE. [property@OAuthProvider:redirect-path], the port, the host and the page do
 * not matter then.
 *
 * Otherwise sign-ins return to a port of this machine, and this is that address. It has no port if any
 * is used. Without a [property@OAuthProvider:redirect-path], it is %NULL until the first sign-in in the browser
 * begins, since it depends on what the server says about itself; it notifies then.
 *
 * Since: 0.1
 */
/**
 * SharedAuthOAuthProvider:page-title:
 *
 * The title of the page that the browser shows at the end of a sign-in; %NULL for a usual one, in the
 * language of the process. It is plain text, in the language of the process.
 *
 * Since: 0.1
 */
/**
 * SharedAuthOAuthProvider:page-message:
 *
 * One or two sentences on the page that the browser shows at the end of a sign-in; %NULL for the usual
 * ones. It is plain text, in the language of the process.
 *
 * Since: 0.1
 */

/**
 * shared_auth_oauth_provider_new:
 * @issuer: the issuer URL
 * @client_id: the client id
 *
 * Creates an identity provider for a plain OAuth 2 server that publishes metadata. For a server that
 * publishes none, and for an app that registers itself, use [ctor@GObject.Object.new]. No request is
 * sent before the first sign-in or refresh.
 *
 * Returns: (transfer full): a new [class@OAuthProvider]
 *
 * Since: 0.1
 */
SharedAuthOAuthProvider *shared_auth_oauth_provider_new (const char *issuer, const char *client_id);

G_END_DECLS
