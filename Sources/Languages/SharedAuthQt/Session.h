#pragma once

#include "Accounts.h"
#include "SessionCalls.h"

#include <QAbstractEventDispatcher>
#include <QUrl>

#include <mutex>

namespace SharedAuth {

/// The sign-in state of an app, which all apps of its access group share. An app that shares its users sets
/// `accessGroup`; one that uses no access group keeps its users in its own slot.
///
/// Creating a session does not block: it starts when the event loop runs, or with the first call. From then on, it
/// lives on that thread, whose event loop must be GLib's, the default of Qt on Linux.
class Session : public SessionCalls
{
    Q_OBJECT
    Q_PROPERTY(State state READ state NOTIFY stateChanged)
    Q_PROPERTY(SharedAuth::User user READ user NOTIFY userChanged)
    Q_PROPERTY(QString accessGroup READ accessGroup WRITE setAccessGroup NOTIFY accessGroupChanged)
    Q_PROPERTY(QString userIssuer READ userIssuer NOTIFY stateChanged)
    Q_PROPERTY(SharedAuth::Accounts *accounts READ accounts CONSTANT)
    Q_PROPERTY(SharedAuth::AuthError error READ error NOTIFY errorChanged)
    Q_PROPERTY(SharedAuth::AuthError saveError READ saveError NOTIFY saveErrorChanged)

public:
    /// The state of the current user. Only `SignedOut` means that no user is signed in.
    enum State {
        /// The stored user has not been read yet.
        Unknown = SHARED_AUTH_STATE_UNKNOWN,
        SignedIn = SHARED_AUTH_STATE_SIGNED_IN,
        SignedOut = SHARED_AUTH_STATE_SIGNED_OUT,
        /// The keyring is locked; see `unlock`.
        Locked = SHARED_AUTH_STATE_LOCKED,
        /// The keyring cannot be reached, or an option is invalid; `error` describes the reason.
        Unavailable = SHARED_AUTH_STATE_UNAVAILABLE,
        /// The stored record cannot be read; `error` describes the reason. The next sign-in or sign-out sets a damaged
        /// record aside.
        Damaged = SHARED_AUTH_STATE_DAMAGED,
    };
    Q_ENUM(State)

    explicit Session(QObject *parent = nullptr) : SessionCalls(parent)
    {
        QMetaObject::invokeMethod(this, [this] { startUnlessHeld(); }, Qt::QueuedConnection);
    }

    // All properties have their new values before the signal of the first one is emitted.

    State state() const
    {
        if (m_failure)
            return Unavailable;
        return m_session ? static_cast<State>(shared_auth_session_get_state(m_session.get())) : Unknown;
    }

    /// The current user; no user unless the state is `SignedIn`.
    User user() const { return m_session ? User::taking(shared_auth_session_dup_user(m_session.get())) : User(); }

    /// The access group in use; empty for the app's own slot.
    ///
    /// Set before the session starts, it is an option: the session uses the group from its first read on, and never
    /// shows the app's own slot meanwhile. It takes precedence over a stored choice of another group, and is stored
    /// instead of it. With a group that is malformed or not declared, the session is `Unavailable`.
    QString accessGroup() const
    {
        return m_session ? GLib::takingText(shared_auth_session_dup_access_group(m_session.get()))
                         : chosenAccessGroup();
    }
    void setAccessGroup(const QString &accessGroup)
    {
        // A slot of the first signal may delete the session.
        const QPointer<Session> self(this);
        if (chooseAccessGroup(accessGroup) && self)
            Q_EMIT accessGroupChanged();
    }

    /// The `issuer` of the users who sign in with the identity provider; empty before the session has started, without an
    /// identity provider, and after `close`. That of an OpenID provider is its issuer with the client id.
    QString userIssuer() const
    {
        return m_session ? GLib::takingText(shared_auth_session_dup_user_issuer(m_session.get())) : QString();
    }

    /// The users of the slot in use.
    Accounts *accounts() const { return m_accounts; }

    /// The reason for the states `Locked`, `Unavailable` and `Damaged`; otherwise no error.
    AuthError error() const
    {
        if (m_failure || !m_session)
            return m_failure;
        return AuthError::taking(shared_auth_session_dup_error(m_session.get()));
    }

    /// The error that keeps changes from being saved; no error if none is known. The keyring can be locked while a user
    /// is signed in: offer `unlock()` then, too.
    AuthError saveError() const
    {
        return m_session ? AuthError::taking(shared_auth_session_dup_save_error(m_session.get())) : AuthError();
    }

    /// Ends the session, as deleting it does: it no longer watches the keyring, and drops its identity provider. Calls in
    /// progress are stopped; they and all later ones fail with `AppDeleted`, which is also the `error` of the state
    /// `Unavailable` then. Nobody is signed out. Sessions of the app can then be created with other options.
    Q_INVOKABLE void close()
    {
        if (m_session)
            shared_auth_session_close(m_session.get());
        else if (!m_failure)
            becomeUnavailable({AuthError::AppDeleted, QStringLiteral("The session was closed before it started.")});
    }

    /// The GObject; NULL before the session has started, or if it cannot start.
    SharedAuthSession *object() const override { return m_session.get(); }

Q_SIGNALS:
    void stateChanged();
    /// Emitted when another user or no user becomes current, and when properties of the current user change.
    void userChanged();
    void accessGroupChanged();
    void errorChanged();
    void saveErrorChanged();

    /// Emitted when the current user is first known, and when another user or no user becomes current: once for each
    /// change, in order, and after the signals of the properties.
    void announced(const SharedAuth::User &user);

    /// Emitted with the address of a sign-in page, to open it. If it is not connected, the desktop's default browser
    /// opens the address.
    void openAddress(const QUrl &address);

    /// Emitted in a sign-in with a device code, with the code to show, the address of the page to enter it in, and the
    /// address of that page with the code filled in, which may be empty.
    void deviceCode(const QString &code, const QString &address, const QString &completeAddress);

protected:
    bool hasStarted() const override { return m_session || m_failure; }

    /// Keeps the session from starting before a call, or `start`.
    void hold() { m_isHeld = true; }

    /// Starts the session, unless it has started.
    void start() override
    {
        if (hasStarted())
            return;
        const QAbstractEventDispatcher *dispatcher = QAbstractEventDispatcher::instance();
        if (!dispatcher || !dispatcher->inherits("QEventDispatcherGlib")) {
            failToStart(dispatcher);
            return;
        }
        m_session = makeSession();
        m_accounts->follow(shared_auth_session_get_accounts(m_session.get()));
        forward<&Session::stateChanged>("notify::state");
        forward<&Session::accessGroupChanged>("notify::access-group");
        forward<&Session::errorChanged>("notify::error");
        forward<&Session::saveErrorChanged>("notify::save-error");
        handle("notify::user", +[](SharedAuthSession *, GParamSpec *, gpointer self) {
            static_cast<Session *>(self)->watchUser();
            Q_EMIT static_cast<Session *>(self)->userChanged();
        });
        handle("announced", +[](SharedAuthSession *, SharedAuthUser *user, gpointer self) {
            Q_EMIT static_cast<Session *>(self)->announced(User::reading(user));
        });
        handle("open-address", +[](SharedAuthSession *, const char *address, gpointer self) -> gboolean {
            auto *session = static_cast<Session *>(self);
            const bool isConnected = session->isSignalConnected(QMetaMethod::fromSignal(&Session::openAddress));
            Q_EMIT session->openAddress(QUrl(QString::fromUtf8(address)));
            return isConnected;
        });
        handle("device-code", +[](SharedAuthSession *, const char *code, const char *address, const char *complete,
                                  gpointer self) {
            Q_EMIT static_cast<Session *>(self)->deviceCode(QString::fromUtf8(code), QString::fromUtf8(address),
                                                            QString::fromUtf8(complete));
        });
    }

private:
    AuthError startFailure() const override { return m_failure; }

    void startUnlessHeld()
    {
        if (!m_isHeld)
            start();
    }

    /// Makes the session unavailable. The first one of a process logs a warning.
    void failToStart(const QAbstractEventDispatcher *dispatcher)
    {
        static const QString text = QStringLiteral(
            "Nothing will be heard from the keyring, because the event loop of this thread is not GLib's (%1). Unset "
            "QT_NO_GLIB, use a Qt that is built with GLib, and create QCoreApplication before the first call.");
        const char *name = dispatcher ? dispatcher->metaObject()->className() : "there is none";
        becomeUnavailable({AuthError::KeyringUnavailable, text.arg(QString::fromUtf8(name))});
        static std::once_flag logged;
        std::call_once(logged, [this] { qWarning("SharedAuth: %ls", qUtf16Printable(m_failure.text())); });
    }

    /// Ends a session that has not started.
    void becomeUnavailable(const AuthError &error)
    {
        m_failure = error;
        QMetaObject::invokeMethod(this, &Session::stateChanged, Qt::QueuedConnection);
        QMetaObject::invokeMethod(this, &Session::errorChanged, Qt::QueuedConnection);
    }

    template <typename Function>
    void handle(const char *signal, Function function)
    {
        m_handlers.push_back(GLib::connect(m_session.get(), signal, function, this));
    }

    template <auto signal>
    void forward(const char *notification)
    {
        handle(notification, +[](SharedAuthSession *, GParamSpec *, gpointer self) {
            Q_EMIT (static_cast<Session *>(self)->*signal)();
        });
    }

    /// Connects to the current user's properties.
    void watchUser()
    {
        const User current = user();
        const auto changed = +[](SharedAuthUser *, GParamSpec *, gpointer self) {
            Q_EMIT static_cast<Session *>(self)->userChanged();
        };
        m_userChanged = current.isValid() ? GLib::connect(current.object(), "notify", changed, this) : nullptr;
    }

    Accounts *const m_accounts = new Accounts(this);
    std::shared_ptr<SharedAuthSession> m_session;
    std::vector<GLib::Handler> m_handlers;
    GLib::Handler m_userChanged;
    /// The reason why the session could not start.
    AuthError m_failure;
    bool m_isHeld = false;
};

} // namespace SharedAuth
