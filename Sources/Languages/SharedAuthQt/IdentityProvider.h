#pragma once

#include "Request.h"

#include <QMetaMethod>
#include <QObject>

#include <array>

namespace SharedAuth {

/// Signs users in: one of the classes below. It exists at least until the sessions that it is given to have started;
/// its properties count as they are then.
class IdentityProvider : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;

    /// The identity provider's GObject, made by the first call.
    SharedAuthIdentityProvider *object()
    {
        if (!m_object)
            m_object = GLib::taking(make());
        return m_object.get();
    }

protected:
    /// Whether the GObject is made.
    bool isMade() const { return m_object != nullptr; }

    /// Makes the GObject of the present properties.
    virtual SharedAuthIdentityProvider *make() = 0;

private:
    std::shared_ptr<SharedAuthIdentityProvider> m_object;
};

/// Signs users in without a server: the store of the session keeps their accounts, for every app of the project.
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

/// Signs users in at an OpenID provider, by browser or by device code.
class OpenIdProvider : public IdentityProvider
{
    Q_OBJECT
    /// The issuer URL, exactly as the OpenID provider names itself.
    Q_PROPERTY(QString issuer MEMBER issuer NOTIFY changed)
    /// The client id that the OpenID provider gave to the app.
    Q_PROPERTY(QString clientId MEMBER clientId NOTIFY changed)
    /// The client secret, for OpenID providers that give one to desktop apps.
    Q_PROPERTY(QString clientSecret MEMBER clientSecret NOTIFY changed)
    /// The scopes that a sign-in asks for; without any, `openid`, `profile` and `email`.
    Q_PROPERTY(QStringList scopes MEMBER scopes NOTIFY changed)
    /// The path of the redirect URI; empty for the library's choice.
    Q_PROPERTY(QString redirectPath MEMBER redirectPath NOTIFY changed)
    /// The port of the redirect URI; 0 for any free port.
    Q_PROPERTY(int redirectPort MEMBER redirectPort NOTIFY changed)

public:
    using IdentityProvider::IdentityProvider;

    QString issuer, clientId, clientSecret, redirectPath;
    QStringList scopes;
    int redirectPort = 0;

Q_SIGNALS:
    void changed();

protected:
    SharedAuthIdentityProvider *make() override
    {
        return SHARED_AUTH_IDENTITY_PROVIDER(g_object_new(
            SHARED_AUTH_TYPE_OPENID_PROVIDER, "issuer", issuer.toUtf8().constData(), "client-id",
            clientId.toUtf8().constData(), "client-secret", GLib::orNull(clientSecret.toUtf8()), "scopes",
            GLib::Texts(scopes).orNull(), "redirect-path", GLib::orNull(redirectPath.toUtf8()), "redirect-port",
            redirectPort, nullptr));
    }
};

/// Signs users in at Firebase Authentication.
class FirebaseProvider : public IdentityProvider
{
    Q_OBJECT
    /// The API key of the project; empty if it is the `project` of the session.
    Q_PROPERTY(QString apiKey MEMBER apiKey NOTIFY changed)
    /// The emulator to use in place of Firebase, as `host:port`.
    Q_PROPERTY(QString emulator MEMBER emulator NOTIFY changed)
    /// The port of the redirect URI; 0 for any free port.
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

/// Signs users in at the app's own server: each signal carries a request, to be answered then or later. The signals
/// are emitted on the thread of the first session that the provider was given to.
///
/// A question whose signal is not connected is refused; but without `profile`, the user has a uid only, and without
/// `revoke`, nothing is revoked.
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

    /// Asks for the tokens of a user who signs in; the request's `kind` says how.
    void signIn(const SharedAuth::Request &request);

    /// Asks for new tokens; of all processes that show the user, one asks.
    void refresh(const SharedAuth::Request &request);

    /// Asks who the user is.
    void profile(const SharedAuth::Request &request);

    /// Asks to end a session.
    void revoke(const SharedAuth::Request &request);

protected:
    SharedAuthIdentityProvider *make() override
    {
        auto *object = SHARED_AUTH_IDENTITY_PROVIDER(shared_auth_custom_provider_new(issuer.toUtf8().constData()));
        for (Question &question : m_questions) {
            if (isSignalConnected(question.signal))
                ask(question, object);
        }
        return object;
    }

    void connectNotify(const QMetaMethod &signal) override
    {
        // It may be called on any thread.
        QMetaObject::invokeMethod(this, [this, signal] {
            for (Question &question : m_questions) {
                if (isMade() && question.signal == signal && !question.handler)
                    ask(question, object());
            }
        });
    }

private:
    struct Question {
        const char *name;
        QMetaMethod signal;
        void (*asked)(SharedAuthCustomProvider *, SharedAuthRequest *, gpointer);
        GLib::Handler handler;
    };

    template <auto signal>
    static Question question(const char *name)
    {
        const auto asked = +[](SharedAuthCustomProvider *, SharedAuthRequest *request, gpointer self) {
            Q_EMIT (static_cast<CustomProvider *>(self)->*signal)(Request::reading(request));
        };
        return {name, QMetaMethod::fromSignal(signal), asked, {}};
    }

    /// Has the GObject ask, which refuses a question without a handler.
    void ask(Question &question, SharedAuthIdentityProvider *object)
    {
        question.handler = GLib::connect(object, question.name, question.asked, this);
    }

    std::array<Question, 4> m_questions{
        question<&CustomProvider::signIn>("sign-in"), question<&CustomProvider::refresh>("refresh"),
        question<&CustomProvider::profile>("profile"), question<&CustomProvider::revoke>("revoke")};
};

} // namespace SharedAuth
