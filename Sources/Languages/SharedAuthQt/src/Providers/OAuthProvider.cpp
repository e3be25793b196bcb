#include "OAuthProvider.h"

#include "IdentityProviderPrivate.h"

namespace SharedAuth {

OAuthProvider::OAuthProvider(QObject *parent)
    : BrowserProvider(new IdentityProviderPrivate(this, SHARED_AUTH_TYPE_OAUTH_PROVIDER), parent)
{
}

OAuthProvider::~OAuthProvider() = default;

QString OAuthProvider::issuer() const
{
    return d->text("issuer");
}

void OAuthProvider::setIssuer(const QString &issuer)
{
    d->set("issuer", issuer);
}

QString OAuthProvider::authorizationEndpoint() const
{
    return d->text("authorization-endpoint");
}

void OAuthProvider::setAuthorizationEndpoint(const QString &authorizationEndpoint)
{
    d->set("authorization-endpoint", authorizationEndpoint);
}

QString OAuthProvider::tokenEndpoint() const
{
    return d->text("token-endpoint");
}

void OAuthProvider::setTokenEndpoint(const QString &tokenEndpoint)
{
    d->set("token-endpoint", tokenEndpoint);
}

QString OAuthProvider::deviceEndpoint() const
{
    return d->text("device-endpoint");
}

void OAuthProvider::setDeviceEndpoint(const QString &deviceEndpoint)
{
    d->set("device-endpoint", deviceEndpoint);
}

QString OAuthProvider::revocationEndpoint() const
{
    return d->text("revocation-endpoint");
}

void OAuthProvider::setRevocationEndpoint(const QString &revocationEndpoint)
{
    d->set("revocation-endpoint", revocationEndpoint);
}

QString OAuthProvider::registrationEndpoint() const
{
    return d->text("registration-endpoint");
}

void OAuthProvider::setRegistrationEndpoint(const QString &registrationEndpoint)
{
    d->set("registration-endpoint", registrationEndpoint);
}

QString OAuthProvider::userEndpoint() const
{
    return d->text("user-endpoint");
}

void OAuthProvider::setUserEndpoint(const QString &userEndpoint)
{
    d->set("user-endpoint", userEndpoint);
}

QString OAuthProvider::uidMember() const
{
    return d->text("uid-member");
}

void OAuthProvider::setUidMember(const QString &uidMember)
{
    d->set("uid-member", uidMember);
}

QString OAuthProvider::introspectionEndpoint() const
{
    return d->text("introspection-endpoint");
}

void OAuthProvider::setIntrospectionEndpoint(const QString &introspectionEndpoint)
{
    d->set("introspection-endpoint", introspectionEndpoint);
}

QString OAuthProvider::clientId() const
{
    return d->text("client-id");
}

void OAuthProvider::setClientId(const QString &clientId)
{
    d->set("client-id", clientId);
}

QString OAuthProvider::clientSecret() const
{
    return d->text("client-secret");
}

void OAuthProvider::setClientSecret(const QString &clientSecret)
{
    d->set("client-secret", clientSecret);
}

QString OAuthProvider::clientName() const
{
    return d->text("client-name");
}

void OAuthProvider::setClientName(const QString &clientName)
{
    d->set("client-name", clientName);
}

QString OAuthProvider::registrationToken() const
{
    return d->text("registration-token");
}

void OAuthProvider::setRegistrationToken(const QString &registrationToken)
{
    d->set("registration-token", registrationToken);
}

QStringList OAuthProvider::scopes() const
{
    return d->list("scopes");
}

void OAuthProvider::setScopes(const QStringList &scopes)
{
    d->set("scopes", scopes);
}

QStringList OAuthProvider::resources() const
{
    return d->list("resources");
}

void OAuthProvider::setResources(const QStringList &resources)
{
    d->set("resources", resources);
}

} // namespace SharedAuth
