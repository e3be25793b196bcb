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
