#pragma once

#include "BrowserProvider.h"

namespace SharedAuth {

/// Signs users in at a plain OAuth 2 server, which issues access tokens and no ID tokens, with the browser or with a
/// device code. `Session::getAccessToken` returns the tokens.
class SHAREDAUTHQT_EXPORT OAuthProvider : public SharedAuth::BrowserProvider
{
    Q_OBJECT
    Q_PROPERTY(QString issuer READ issuer WRITE setIssuer NOTIFY changed)
    Q_PROPERTY(QString authorizationEndpoint READ authorizationEndpoint WRITE setAuthorizationEndpoint NOTIFY changed)
    Q_PROPERTY(QString tokenEndpoint READ tokenEndpoint WRITE setTokenEndpoint NOTIFY changed)
    Q_PROPERTY(QString deviceEndpoint READ deviceEndpoint WRITE setDeviceEndpoint NOTIFY changed)
    Q_PROPERTY(QString revocationEndpoint READ revocationEndpoint WRITE setRevocationEndpoint NOTIFY changed)
    Q_PROPERTY(QString registrationEndpoint READ registrationEndpoint WRITE setRegistrationEndpoint NOTIFY changed)
    Q_PROPERTY(QString userEndpoint READ userEndpoint WRITE setUserEndpoint NOTIFY changed)
    Q_PROPERTY(QString uidMember READ uidMember WRITE setUidMember NOTIFY changed)
    Q_PROPERTY(QString introspectionEndpoint READ introspectionEndpoint WRITE setIntrospectionEndpoint NOTIFY changed)
    Q_PROPERTY(QString clientId READ clientId WRITE setClientId NOTIFY changed)
    Q_PROPERTY(QString clientSecret READ clientSecret WRITE setClientSecret NOTIFY changed)
    Q_PROPERTY(QString clientName READ clientName WRITE setClientName NOTIFY changed)
    Q_PROPERTY(QString registrationToken READ registrationToken WRITE setRegistrationToken NOTIFY changed)
    Q_PROPERTY(QStringList scopes READ scopes WRITE setScopes NOTIFY changed)
    Q_PROPERTY(QStringList resources READ resources WRITE setResources NOTIFY changed)

public:
    explicit OAuthProvider(QObject *parent = nullptr);
    ~OAuthProvider() override;

    /// The issuer URL, exactly as the server writes it in its metadata (RFC 8414). With `tokenEndpoint`, it is instead
    /// the name of itself that the server sends with a redirect (RFC 9207), or empty.
    QString issuer() const;
    void setIssuer(const QString &issuer);

    /// The sign-in page of a server without metadata; empty if users sign in with device codes only.
    QString authorizationEndpoint() const;
    void setAuthorizationEndpoint(const QString &authorizationEndpoint);

    /// The URL at which a server without metadata exchanges codes for tokens.
    QString tokenEndpoint() const;
    void setTokenEndpoint(const QString &tokenEndpoint);

    /// The URL at which a server without metadata issues device codes.
    QString deviceEndpoint() const;
    void setDeviceEndpoint(const QString &deviceEndpoint);

    /// The URL at which a server without metadata ends sessions.
    QString revocationEndpoint() const;
    void setRevocationEndpoint(const QString &revocationEndpoint);

    /// The URL at which apps register with a server without metadata.
    QString registrationEndpoint() const;
    void setRegistrationEndpoint(const QString &registrationEndpoint);

    /// The URL that describes the holder of an access token as JSON; empty for what the metadata names.
    QString userEndpoint() const;
    void setUserEndpoint(const QString &userEndpoint);

    /// The member there that has the user's id, with dots for a member of a member; empty for `sub`, or else `id`.
    QString uidMember() const;
    void setUidMember(const QString &uidMember);

    /// The URL that describes a token, for a server that has no `userEndpoint`.
    QString introspectionEndpoint() const;
    void setIntrospectionEndpoint(const QString &introspectionEndpoint);

    /// The client id that the server assigned to the app; empty if the app registers itself.
    QString clientId() const;
    void setClientId(const QString &clientId);

    /// The client secret, if the server assigns one to desktop apps.
    QString clientSecret() const;
    void setClientSecret(const QString &clientSecret);

    /// The name of an app that has no `clientId` and registers with the server at the first sign-in.
    QString clientName() const;
    void setClientName(const QString &clientName);

    /// The token that allows to register, if the server requires one.
    QString registrationToken() const;
    void setRegistrationToken(const QString &registrationToken);

    /// The scopes that a sign-in requests.
    QStringList scopes() const;
    void setScopes(const QStringList &scopes);

    /// The URLs of the resource servers that access tokens are for (RFC 8707); empty if the server decides.
    QStringList resources() const;
    void setResources(const QStringList &resources);
};

} // namespace SharedAuth
