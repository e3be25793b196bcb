#pragma once

#include "BrowserProvider.h"

namespace SharedAuth {

/// Signs users in at an OpenID provider, with the browser or with a device code.
class SHAREDAUTHQT_EXPORT OpenIdProvider : public SharedAuth::BrowserProvider
{
    Q_OBJECT
    Q_PROPERTY(QString issuer READ issuer WRITE setIssuer NOTIFY changed)
    Q_PROPERTY(QString clientId READ clientId WRITE setClientId NOTIFY changed)
    Q_PROPERTY(QString clientSecret READ clientSecret WRITE setClientSecret NOTIFY changed)
    Q_PROPERTY(QStringList scopes READ scopes WRITE setScopes NOTIFY changed)
    Q_PROPERTY(bool addsOfflineAccess READ addsOfflineAccess WRITE setAddsOfflineAccess NOTIFY changed)
    Q_PROPERTY(QString issuerTemplate READ issuerTemplate WRITE setIssuerTemplate NOTIFY changed)

public:
    explicit OpenIdProvider(QObject *parent = nullptr);
    ~OpenIdProvider() override;

    /// The issuer URL, exactly as the OpenID provider publishes it.
    QString issuer() const;
    void setIssuer(const QString &issuer);

    /// The client id that the OpenID provider assigned to the app.
    QString clientId() const;
    void setClientId(const QString &clientId);

    /// The client secret, if the OpenID provider assigns one to desktop apps.
    QString clientSecret() const;
    void setClientSecret(const QString &clientSecret);

    /// The scopes that a sign-in requests; empty for `openid`, `profile` and `email`.
    QStringList scopes() const;
    void setScopes(const QStringList &scopes);

    /// Whether a sign-in adds the scope `offline_access` if the OpenID provider lists it.
    bool addsOfflineAccess() const;
    void setAddsOfflineAccess(bool addsOfflineAccess);

    /// The issuers of all tenants, for an OpenID provider whose discovery document names such a template: an https URL
    /// with `{tenantid}` in its path. It accepts the accounts of every tenant; empty accepts only `issuer`.
    QString issuerTemplate() const;
    void setIssuerTemplate(const QString &issuerTemplate);
};

} // namespace SharedAuth
