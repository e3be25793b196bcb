#include "BrowserProvider.h"

#include "IdentityProviderPrivate.h"

namespace SharedAuth {

BrowserPages::BrowserPages(IdentityProviderPrivate *data, QObject *parent) : IdentityProvider(data, parent) {}

BrowserPages::~BrowserPages() = default;

QString BrowserPages::redirectUri() const
{
    return d->isMade() ? GLib::text(d->object(), "redirect-uri") : d->text("redirect-uri");
}

void BrowserPages::setRedirectUri(const QString &uri)
{
    if (d->set("redirect-uri", uri))
        Q_EMIT redirectUriChanged();
}

int BrowserPages::redirectPort() const
{
    return d->number("redirect-port");
}

void BrowserPages::setRedirectPort(int redirectPort)
{
    d->set("redirect-port", redirectPort);
}

QString BrowserPages::pageTitle() const
{
    return d->text("page-title");
}

void BrowserPages::setPageTitle(const QString &pageTitle)
{
    d->set("page-title", pageTitle);
}

QString BrowserPages::pageMessage() const
{
    return d->text("page-message");
}

void BrowserPages::setPageMessage(const QString &pageMessage)
{
    d->set("page-message", pageMessage);
}

BrowserProvider::BrowserProvider(IdentityProviderPrivate *data, QObject *parent) : BrowserPages(data, parent) {}

BrowserProvider::~BrowserProvider() = default;

QString BrowserProvider::redirectPath() const
{
    return d->text("redirect-path");
}

void BrowserProvider::setRedirectPath(const QString &redirectPath)
{
    d->set("redirect-path", redirectPath);
}

QString BrowserProvider::redirectHost() const
{
    return d->text("redirect-host");
}

void BrowserProvider::setRedirectHost(const QString &redirectHost)
{
    d->set("redirect-host", redirectHost);
}

QStringList BrowserProvider::parameters() const
{
    return d->list("parameters");
}

void BrowserProvider::setParameters(const QStringList &parameters)
{
    d->set("parameters", parameters);
}

FirebaseProvider::FirebaseProvider(QObject *parent)
    : BrowserPages(new IdentityProviderPrivate(this, SHARED_AUTH_TYPE_FIREBASE_PROVIDER), parent)
{
}

FirebaseProvider::~FirebaseProvider() = default;

QString FirebaseProvider::apiKey() const
{
    return d->text("api-key");
}

void FirebaseProvider::setApiKey(const QString &apiKey)
{
    d->set("api-key", apiKey);
}

QString FirebaseProvider::emulator() const
{
    return d->text("emulator");
}

void FirebaseProvider::setEmulator(const QString &emulator)
{
    d->set("emulator", emulator);
}

} // namespace SharedAuth
