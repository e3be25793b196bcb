#pragma once

#include "IdentityProvider.h"

namespace SharedAuth {

/// An identity provider at which users sign in in the browser, whose last page the app can word.
class SHAREDAUTHQT_EXPORT BrowserPages : public SharedAuth::IdentityProvider
{
    Q_OBJECT
    Q_PROPERTY(QString redirectUri READ redirectUri WRITE setRedirectUri NOTIFY redirectUriChanged)
    Q_PROPERTY(int redirectPort READ redirectPort WRITE setRedirectPort NOTIFY changed)
    Q_PROPERTY(QString pageTitle READ pageTitle WRITE setPageTitle NOTIFY changed)
    Q_PROPERTY(QString pageMessage READ pageMessage WRITE setPageMessage NOTIFY changed)

public:
    ~BrowserPages() override;

    /// The redirect URI to register. It is empty until it is known, at the latest when the first sign-in in the browser
    /// begins. It has no port if any port of this machine is used.
    ///
    /// Set it to an address of the app's own scheme, such as `com.example.mail:/signed-in`, with which the desktop
    /// opens the app at the end of a sign-in: pass that to `Session::handleUri`. With Firebase, setting it has no
    /// effect.
    QString redirectUri() const;
    void setRedirectUri(const QString &uri);

    /// The local port of the redirect URI, for servers that compare it; 0 for any free port.
    int redirectPort() const;
    void setRedirectPort(int redirectPort);

    /// The title of the page that the browser shows at the end of a sign-in, in the user's language; empty for the
    /// usual one.
    QString pageTitle() const;
    void setPageTitle(const QString &pageTitle);

    /// One or two sentences on that page; empty for the usual ones.
    QString pageMessage() const;
    void setPageMessage(const QString &pageMessage);

Q_SIGNALS:
    void redirectUriChanged();

protected:
    BrowserPages(IdentityProviderPrivate *data, QObject *parent);
};

/// An identity provider whose server the app itself is registered with.
class SHAREDAUTHQT_EXPORT BrowserProvider : public SharedAuth::BrowserPages
{
    Q_OBJECT
    Q_PROPERTY(QString redirectPath READ redirectPath WRITE setRedirectPath NOTIFY changed)
    Q_PROPERTY(QString redirectHost READ redirectHost WRITE setRedirectHost NOTIFY changed)
    Q_PROPERTY(QStringList parameters READ parameters WRITE setParameters NOTIFY changed)

public:
    ~BrowserProvider() override;

    /// The path of the redirect URI that is registered with the server; empty for `/callback`, followed by a part
    /// derived from the issuer if the server's responses do not name it (RFC 9207).
    QString redirectPath() const;
    void setRedirectPath(const QString &redirectPath);

    /// The host name of the redirect URI: `127.0.0.1` or `localhost`; empty for `127.0.0.1`.
    QString redirectHost() const;
    void setRedirectHost(const QString &redirectHost);

    /// The parameters to add to the requests of sign-ins, each as `name=value`, such as `prompt=login`. An empty value
    /// leaves a parameter out.
    QStringList parameters() const;
    void setParameters(const QStringList &parameters);

protected:
    BrowserProvider(IdentityProviderPrivate *data, QObject *parent);
};

/// Signs users in with Firebase Authentication.
class SHAREDAUTHQT_EXPORT FirebaseProvider : public SharedAuth::BrowserPages
{
    Q_OBJECT
    Q_PROPERTY(QString apiKey READ apiKey WRITE setApiKey NOTIFY changed)
    Q_PROPERTY(QString emulator READ emulator WRITE setEmulator NOTIFY changed)

public:
    explicit FirebaseProvider(QObject *parent = nullptr);
    ~FirebaseProvider() override;

    /// The API key of the Firebase project; empty to use the `project` of the session as the key.
    QString apiKey() const;
    void setApiKey(const QString &apiKey);

    /// The emulator to use in place of Firebase, as `host:port`.
    QString emulator() const;
    void setEmulator(const QString &emulator);
};

} // namespace SharedAuth
