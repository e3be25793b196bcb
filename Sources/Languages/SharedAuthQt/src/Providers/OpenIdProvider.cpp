#include "OpenIdProvider.h"

#include "IdentityProviderPrivate.h"

namespace SharedAuth {

OpenIdProvider::OpenIdProvider(QObject *parent)
    : BrowserProvider(new IdentityProviderPrivate(this, SHARED_AUTH_TYPE_OPENID_PROVIDER), parent)
{
}

OpenIdProvider::~OpenIdProvider() = default;

QString OpenIdProvider::issuer() const
{
    return d->text("issuer");
}

void OpenIdProvider::setIssuer(const QString &issuer)
{
    d->set("issuer", issuer);
}

QString OpenIdProvider::clientId() const
{
    return d->text("client-id");
}

void OpenIdProvider::setClientId(const QString &clientId)
{
    d->set("client-id", clientId);
}

QString OpenIdProvider::clientSecret() const
{
    return d->text("client-secret");
}

void OpenIdProvider::setClientSecret(const QString &clientSecret)
{
    d->set("client-secret", clientSecret);
}

QStringList OpenIdProvider::scopes() const
{
    return d->list("scopes");
}

void OpenIdProvider::setScopes(const QStringList &scopes)
{
    d->set("scopes", scopes);
}

bool OpenIdProvider::addsOfflineAccess() const
{
    return d->flag("adds-offline-access");
}

void OpenIdProvider::setAddsOfflineAccess(bool addsOfflineAccess)
{
    d->set("adds-offline-access", addsOfflineAccess);
}

QString OpenIdProvider::issuerTemplate() const
{
    return d->text("issuer-template");
}

void OpenIdProvider::setIssuerTemplate(const QString &issuerTemplate)
{
    d->set("issuer-template", issuerTemplate);
}

} // namespace SharedAuth
