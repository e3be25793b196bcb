#pragma once

#include "Request.h"

#include <QMetaMethod>
#include <QObject>

#include <array>

namespace SharedAuth {

/// The base class of the identity providers, which sign users in.
///
/// Set its properties before the sessions that use it start, and destroy it after that.
class IdentityProvider : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;

    /// The GObject, which the first call creates.
    SharedAuthIdentityProvider *object()
    {
        if (!m_object)
            m_object = GLib::taking(make());
        return m_object.get();
    }

protected:
    /// Whether the GObject exists.
    bool isMade() const { return m_object != nullptr; }

    /// Creates the GObject with the present properties.
    virtual SharedAuthIdentityProvider *make() = 0;

private:
    std::shared_ptr<SharedAuthIdentityProvider> m_object;
};

/// Signs users in without a server. The accounts are kept in the store of the session; all apps of the project share
/// them.
class LocalProvider : public IdentityProvider
{
    Q_OBJECT

public:
    using IdentityProvider::IdentityProvider;

protected:
    SharedAuthIdentityProvider *make() override
    {
        return SHARED_AUTH_IDENTITY_PROVIDER(shared_auth_local_provider_new());
    }
};

/// Signs users in at an OpenID provider, with the browser or with a device code.
class OpenIdProvider : public IdentityProvider
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
    /// The path of the redirect URI that is registered with the OpenID provider; empty for `/callback`, followed by a
    /// part derived from the issuer if the OpenID provider's responses do not name it (RFC 9207).
    Q_PROPERTY(QString redirectPath MEMBER redirectPath NOTIFY changed)
    /// The local port of the redirect URI, for OpenID providers that compare it; 0 for any free port.
    Q_PROPERTY(int redirectPort MEMBER redirectPort NOTIFY changed)
    /// The host name of the redirect URI: `127.0.0.1` or `localhost`; empty for `127.0.0.1`.
    Q_PROPERTY(QString redirectHost MEMBER redirectHost NOTIFY changed)
    /// The parameters to add to the requests of sign-ins, each as `name=value`, such as `prompt=login`. An empty value
    /// leaves a parameter out.
    Q_PROPERTY(QStringList parameters MEMBER parameters NOTIFY changed)
    /// Whether a sign-in adds the scope `offline_access` if the OpenID provider lists it.
    Q_PROPERTY(bool addsOfflineAccess MEMBER addsOfflineAccess NOTIFY changed)
    /// The issuers of all tenants, for an OpenID provider whose discovery document names such a template: an https URL
    /// with `{tenantid}` in its path. It accepts the accounts of every tenant; empty accepts only `issuer`.
    Q_PROPERTY(QString issuerTemplate MEMBER issuerTemplate NOTIFY changed)

public:
    using IdentityProvider::IdentityProvider;

    QString issuer, clientId, clientSecret, redirectPath, redirectHost, issuerTemplate;
    QStringList scopes, parameters;
    int redirectPort = 0;
    bool addsOfflineAccess = true;

Q_SIGNALS:
    void changed();

protected:
    SharedAuthIdentityProvider *make() override
    {
        return SHARED_AUTH_IDENTITY_PROVIDER(g_object_new(
            SHARED_AUTH_TYPE_OPENID_PROVIDER, "issuer", issuer.toUtf8().constData(), "client-id",
            clientId.toUtf8().constData(), "client-secret", GLib::orNull(clientSecret.toUtf8()), "scopes",
            GLib::Texts(scopes).orNull(), "redirect-path", GLib::orNull(redirectPath.toUtf8()), "redirect-port",
            redirectPort, "redirect-host", GLib::orNull(redirectHost.toUtf8()), "parameters",
            GLib::Texts(parameters).orNull(), "adds-offline-access", gboolean(addsOfflineAccess), "issuer-template",
            GLib::orNull(issuerTemplate.toUtf8()), nullptr));
    }
};

/// Signs users in with Firebase Authentication.
class FirebaseProvider : public IdentityProvider
{
    Q_OBJECT
    /// The API key of the Firebase project; empty to use the `project` of the session as the key.
    Q_PROPERTY(QString apiKey MEMBER apiKey NOTIFY changed)
    /// The emulator to use in place of Firebase, as `host:port`.
    Q_PROPERTY(QString emulator MEMBER emulator NOTIFY changed)
    /// The local port of the redirect URI; 0 for any free port.
    Q_PROPERTY(int redirectPort MEMBER redirectPort NOTIFY changed)

public:
    using IdentityProvider::IdentityProvider;

    QString apiKey, emulator;
    int redirectPort = 0;

Q_SIGNALS:
    void changed();

protected:
    SharedAuthIdentityProvider *make() override
    {
        return SHARED_AUTH_IDENTITY_PROVIDER(
            g_object_new(SHARED_AUTH_TYPE_FIREBASE_PROVIDER, "api-key", GLib::orNull(apiKey.toUtf8()), "emulator",
                         GLib::orNull(emulator.toUtf8()), "redirect-port", redirectPort, nullptr));
    }
};

/// Signs users in at the app's own server. Each signal passes a request, on the thread of the session whose call needs
/// the response, or else of another session that uses the provider.
///
/// A sign-in or a refresh is refused if its signal is not connected. Without `profile`, a user has only a uid; without
/// `revoke`, a sign-out does not revoke the session.
class CustomProvider : public IdentityProvider
{
    Q_OBJECT
    /// The issuer of the accounts, such as the address of the server.
    Q_PROPERTY(QString issuer MEMBER issuer NOTIFY changed)

public:
    using IdentityProvider::IdentityProvider;

    QString issuer;

Q_SIGNALS:
    void changed();

    /// Requests the tokens of a user who signs in as the kind of the request says.
    void signIn(const SharedAuth::Request &request);

    /// Requests new tokens. If several processes share the user, only one of them emits it.
    void refresh(const SharedAuth::Request &request);

    /// Requests the user's profile.
    void profile(const SharedAuth::Request &request);

    /// Requests the end of a session.
    void revoke(const SharedAuth::Request &request);

protected:
    SharedAuthIdentityProvider *make() override
    {
        auto *object = SHARED_AUTH_IDENTITY_PROVIDER(shared_auth_custom_provider_new(issuer.toUtf8().constData()));
        for (Forwarding &forwarding : m_forwardings) {
            if (isSignalConnected(forwarding.signal))
                connectSignal(forwarding, object);
        }
        return object;
    }

    void connectNotify(const QMetaMethod &signal) override
    {
        // It may be called on any thread.
        QMetaObject::invokeMethod(this, [this, signal] {
            for (Forwarding &forwarding : m_forwardings) {
                if (isMade() && forwarding.signal == signal && !forwarding.handler)
                    connectSignal(forwarding, object());
            }
        });
    }

private:
    struct Forwarding {
        const char *name;
        QMetaMethod signal;
        void (*emitSignal)(SharedAuthCustomProvider *, SharedAuthRequest *, gpointer);
        GLib::Handler handler;
    };

    template <auto signal>
    static Forwarding makeForwarding(const char *name)
    {
        const auto emitSignal = +[](SharedAuthCustomProvider *, SharedAuthRequest *request, gpointer self) {
            Q_EMIT (static_cast<CustomProvider *>(self)->*signal)(Request::reading(request));
        };
        return {name, QMetaMethod::fromSignal(signal), emitSignal, {}};
    }

    /// Connects the GObject's signal. The GObject refuses a request whose signal has no handler.
    void connectSignal(Forwarding &forwarding, SharedAuthIdentityProvider *object)
    {
        forwarding.handler = GLib::connect(object, forwarding.name, forwarding.emitSignal, this);
    }

    std::array<Forwarding, 4> m_forwardings{
        makeForwarding<&CustomProvider::signIn>("sign-in"), makeForwarding<&CustomProvider::refresh>("refresh"),
        makeForwarding<&CustomProvider::profile>("profile"), makeForwarding<&CustomProvider::revoke>("revoke")};
};

} // namespace SharedAuth
