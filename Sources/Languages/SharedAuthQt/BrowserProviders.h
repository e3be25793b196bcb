#pragma once

#include "IdentityProvider.h"

namespace SharedAuth {

/// An identity provider at which users sign in in the browser, whose last page the app can word.
class BrowserPages : public IdentityProvider
{
    Q_OBJECT
    /// The redirect URI to register. It is empty until it is known, at the latest when the first sign-in in the browser
    /// begins. It has no port if any port of this machine is used.
    Q_PROPERTY(QString redirectUri READ redirectUri WRITE setRedirectUri NOTIFY redirectUriChanged)
    /// The local port of the redirect URI, for servers that compare it; 0 for any free port.
    Q_PROPERTY(int redirectPort MEMBER redirectPort NOTIFY changed)
    /// The title of the page that the browser shows at the end of a sign-in, in the user's language; empty for the usual
    /// one.
    Q_PROPERTY(QString pageTitle MEMBER pageTitle NOTIFY changed)
    /// One or two sentences on that page; empty for the usual ones.
    Q_PROPERTY(QString pageMessage MEMBER pageMessage NOTIFY changed)

public:
    using IdentityProvider::IdentityProvider;

    QString pageTitle, pageMessage;
    int redirectPort = 0;

    QString redirectUri() const
    {
        return m_provider ? GLib::text(m_provider.get(), "redirect-uri") : m_redirectUri;
    }

    /// Sets an address of the app's own scheme, such as `com.example.mail:/signed-in`, with which the desktop opens the
    /// app at the end of a sign-in: pass it to `Session::handleUri`. With Firebase, it has no effect.
    void setRedirectUri(const QString &uri)
    {
        if (m_redirectUri == uri)
            return;
        m_redirectUri = uri;
        Q_EMIT redirectUriChanged();
    }

Q_SIGNALS:
    void changed();
    void redirectUriChanged();

protected:
    /// The class of the GObject.
    virtual GType type() const = 0;

    /// Adds the properties of the GObject.
    virtual void fill(GLib::Properties &properties) const
    {
        properties.add("redirect-port", redirectPort);
        properties.add("page-title", pageTitle);
        properties.add("page-message", pageMessage);
    }

    QString chosenRedirectUri() const { return m_redirectUri; }

    SharedAuthIdentityProvider *make() override
    {
        GLib::Properties properties;
        fill(properties);
        auto *object = SHARED_AUTH_IDENTITY_PROVIDER(properties.make(type()));
        m_provider = GLib::sharing(object);
        const auto known = +[](SharedAuthIdentityProvider *, GParamSpec *, gpointer self) {
            Q_EMIT static_cast<BrowserPages *>(self)->redirectUriChanged();
        };
        m_uriKnown = GLib::connect(object, "notify::redirect-uri", known, this);
        return object;
    }

private:
    QString m_redirectUri;
    std::shared_ptr<SharedAuthIdentityProvider> m_provider;
    GLib::Handler m_uriKnown;
};

/// An identity provider whose server the app itself is registered with.
class BrowserProvider : public BrowserPages
{
    Q_OBJECT
    /// The path of the redirect URI that is registered with the server; empty for `/callback`, followed by a part derived
    /// from the issuer if the server's responses do not name it (RFC 9207).
    Q_PROPERTY(QString redirectPath MEMBER redirectPath NOTIFY changed)
    /// The host name of the redirect URI: `127.0.0.1` or `localhost`; empty for `127.0.0.1`.
    Q_PROPERTY(QString redirectHost MEMBER redirectHost NOTIFY changed)
    /// The parameters to add to the requests of sign-ins, each as `name=value`, such as `prompt=login`. An empty value
    /// leaves a parameter out.
    Q_PROPERTY(QStringList parameters MEMBER parameters NOTIFY changed)

public:
    using BrowserPages::BrowserPages;

    QString redirectPath, redirectHost;
    QStringList parameters;

protected:
    void fill(GLib::Properties &properties) const override
    {
        properties.add("redirect-uri", chosenRedirectUri());
        properties.add("redirect-path", redirectPath);
        properties.add("redirect-host", redirectHost);
        properties.add("parameters", parameters);
        BrowserPages::fill(properties);
    }
};

/// Signs users in at an OpenID provider, with the browser or with a device code.
class OpenIdProvider : public BrowserProvider
{
    Q_OBJECT
    /// The issuer URL, exactly as the OpenID provider publishes it.
    Q_PROPERTY(QString issuer MEMBER issuer NOTIFY changed)
    /// The client id that the OpenID provider assigned to the app.
    Q_PROPERTY(QString clientId MEMBER clientId NOTIFY changed)
    /// The client secret, if the OpenID provider assigns one to desktop apps.
    Q_PROPERTY(QString clientSecret MEMBER clientSecret NOTIFY changed)
    /// The scopes that a sign-in requests; empty for `openid`, `profile` and `email`.
    Q_PROPERTY(QStringList scopes MEMBER scopes NOTIFY changed)
    /// Whether a sign-in adds the scope `offline_access` if the OpenID provider lists it.
    Q_PROPERTY(bool addsOfflineAccess MEMBER addsOfflineAccess NOTIFY changed)
    /// The issuers of all tenants, for an OpenID provider whose discovery document names such a template: an https URL
    /// with `{tenantid}` in its path. It accepts the accounts of every tenant; empty accepts only `issuer`.
    Q_PROPERTY(QString issuerTemplate MEMBER issuerTemplate NOTIFY changed)

public:
    using BrowserProvider::BrowserProvider;

    QString issuer, clientId, clientSecret, issuerTemplate;
    QStringList scopes;
    bool addsOfflineAccess = true;

protected:
    GType type() const override { return SHARED_AUTH_TYPE_OPENID_PROVIDER; }

    void fill(GLib::Properties &properties) const override
    {
        properties.add("issuer", issuer);
        properties.add("client-id", clientId);
        properties.add("client-secret", clientSecret);
        properties.add("scopes", scopes);
        properties.add("adds-offline-access", addsOfflineAccess);
        properties.add("issuer-template", issuerTemplate);
        BrowserProvider::fill(properties);
    }
};

/// Signs users in at a plain OAuth 2 server, which issues access tokens and no ID tokens, with the browser or with a
/// device code. `Session::getAccessToken` returns the tokens.
class OAuthProvider : public BrowserProvider
{
    Q_OBJECT
    /// The issuer URL, exactly as the server writes it in its metadata (RFC 8414). With `tokenEndpoint`, it is instead the
    /// name of itself that the server sends with a redirect (RFC 9207), or empty.
    Q_PROPERTY(QString issuer MEMBER issuer NOTIFY changed)
    /// The sign-in page of a server without metadata; empty if users sign in with device codes only.
    Q_PROPERTY(QString authorizationEndpoint MEMBER authorizationEndpoint NOTIFY changed)
    /// The URL at which a server without metadata exchanges codes for tokens.
    Q_PROPERTY(QString tokenEndpoint MEMBER tokenEndpoint NOTIFY changed)
    /// The URL at which a server without metadata issues device codes.
    Q_PROPERTY(QString deviceEndpoint MEMBER deviceEndpoint NOTIFY changed)
    /// The URL at which a server without metadata ends sessions.
    Q_PROPERTY(QString revocationEndpoint MEMBER revocationEndpoint NOTIFY changed)
    /// The URL at which apps register with a server without metadata.
    Q_PROPERTY(QString registrationEndpoint MEMBER registrationEndpoint NOTIFY changed)
    /// The URL that describes the holder of an access token as JSON; empty for what the metadata names.
    Q_PROPERTY(QString userEndpoint MEMBER userEndpoint NOTIFY changed)
    /// The member there that has the user's id, with dots for a member of a member; empty for `sub`, or else `id`.
    Q_PROPERTY(QString uidMember MEMBER uidMember NOTIFY changed)
    /// The URL that describes a token, for a server that has no `userEndpoint`.
    Q_PROPERTY(QString introspectionEndpoint MEMBER introspectionEndpoint NOTIFY changed)
    /// The client id that the server assigned to the app; empty if the app registers itself.
    Q_PROPERTY(QString clientId MEMBER clientId NOTIFY changed)
    /// The client secret, if the server assigns one to desktop apps.
    Q_PROPERTY(QString clientSecret MEMBER clientSecret NOTIFY changed)
    /// The name of an app that has no `clientId` and registers with the server at the first sign-in.
    Q_PROPERTY(QString clientName MEMBER clientName NOTIFY changed)
    /// The token that allows to register, if the server requires one.
    Q_PROPERTY(QString registrationToken MEMBER registrationToken NOTIFY changed)
    /// The scopes that a sign-in requests.
    Q_PROPERTY(QStringList scopes MEMBER scopes NOTIFY changed)
    /// The URLs of the resource servers that access tokens are for (RFC 8707); empty if the server decides.
    Q_PROPERTY(QStringList resources MEMBER resources NOTIFY changed)

public:
    using BrowserProvider::BrowserProvider;

    QString issuer, authorizationEndpoint, tokenEndpoint, deviceEndpoint, revocationEndpoint, registrationEndpoint;
    QString userEndpoint, uidMember, introspectionEndpoint, clientId, clientSecret, clientName, registrationToken;
    QStringList scopes, resources;

protected:
    GType type() const override { return SHARED_AUTH_TYPE_OAUTH_PROVIDER; }

    void fill(GLib::Properties &properties) const override
    {
        properties.add("issuer", issuer);
        properties.add("authorization-endpoint", authorizationEndpoint);
        properties.add("token-endpoint", tokenEndpoint);
        properties.add("device-endpoint", deviceEndpoint);
        properties.add("revocation-endpoint", revocationEndpoint);
        properties.add("registration-endpoint", registrationEndpoint);
        properties.add("user-endpoint", userEndpoint);
        properties.add("uid-member", uidMember);
        properties.add("introspection-endpoint", introspectionEndpoint);
        properties.add("client-id", clientId);
        properties.add("client-secret", clientSecret);
        properties.add("client-name", clientName);
        properties.add("registration-token", registrationToken);
        properties.add("scopes", scopes);
        properties.add("resources", resources);
        BrowserProvider::fill(properties);
    }
};

/// Signs users in with Firebase Authentication.
class FirebaseProvider : public BrowserPages
{
    Q_OBJECT
    /// The API key of the Firebase project; empty to use the `project` of the session as the key.
    Q_PROPERTY(QString apiKey MEMBER apiKey NOTIFY changed)
    /// The emulator to use in place of Firebase, as `host:port`.
    Q_PROPERTY(QString emulator MEMBER emulator NOTIFY changed)

public:
    using BrowserPages::BrowserPages;

    QString apiKey, emulator;

protected:
    GType type() const override { return SHARED_AUTH_TYPE_FIREBASE_PROVIDER; }

    void fill(GLib::Properties &properties) const override
    {
        properties.add("api-key", apiKey);
        properties.add("emulator", emulator);
        BrowserPages::fill(properties);
    }
};

} // namespace SharedAuth
