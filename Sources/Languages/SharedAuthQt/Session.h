#pragma once

#include "Accounts.h"
#include "Call.h"
#include "SessionOptions.h"

#include <QAbstractEventDispatcher>
#include <QMetaEnum>
#include <QUrl>

#include <mutex>

namespace SharedAuth {

/// The sign-in state of an app, which all apps of its access group share. An app that shares its users sets
/// `accessGroup`; one that uses no access group keeps its users in its own slot.
///
/// Creating a session does not block: it starts when the event loop runs, or with the first call. From then on, it
/// lives on that thread, whose event loop must be GLib's, the default of Qt on Linux.
class Session : public SessionOptions
{
    Q_OBJECT
    Q_PROPERTY(State state READ state NOTIFY stateChanged)
    Q_PROPERTY(SharedAuth::User user READ user NOTIFY userChanged)
    Q_PROPERTY(QString accessGroup READ accessGroup WRITE setAccessGroup NOTIFY accessGroupChanged)
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

    explicit Session(QObject *parent = nullptr) : SessionOptions(parent)
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

    // Calls. Without another statement, the result is true. An empty access group is the app's own slot.

    /// Waits until the current user is known. The result is that user, or no user.
    Q_INVOKABLE SharedAuth::Call *load()
    {
        return begin(shared_auth_session_load_finish, shared_auth_session_load_async);
    }

    /// Switches to an access group, or to the app's own slot. The user who is stored there becomes current. Switching
    /// from the app's own slot to a group deletes the user of the own slot; `migrate` moves that user.
    Q_INVOKABLE SharedAuth::Call *useAccessGroup(const QString &accessGroup)
    {
        return begin(shared_auth_session_use_access_group_finish, shared_auth_session_use_access_group_async,
                     GLib::orNull(accessGroup.toUtf8()));
    }

    /// Gets the user stored in an access group, without switching to it. The result is that user, or no user.
    Q_INVOKABLE SharedAuth::Call *getStoredUser(const QString &accessGroup)
    {
        return begin(shared_auth_session_get_stored_user_finish, shared_auth_session_get_stored_user_async,
                     GLib::orNull(accessGroup.toUtf8()));
    }

    /// Makes a user current, and stores the user in the slot in use.
    Q_INVOKABLE SharedAuth::Call *updateCurrentUser(const SharedAuth::User &user)
    {
        return beginWithUser(shared_auth_session_update_current_user_finish,
                             shared_auth_session_update_current_user_async, user);
    }

    /// Moves the current user to an access group, and switches to it. At every moment, the user is stored.
    Q_INVOKABLE SharedAuth::Call *migrate(const QString &accessGroup, MigrationPolicy policy = Fail)
    {
        if (!QMetaEnum::fromType<MigrationPolicy>().valueToKey(policy))
            return failing({AuthError::InternalError, QStringLiteral("The migration policy has an unknown value.")});
        return begin(shared_auth_session_migrate_finish, shared_auth_session_migrate_async,
                     GLib::orNull(accessGroup.toUtf8()), static_cast<SharedAuthMigrationPolicy>(policy));
    }

    /// Makes another of the `accounts` current, in every app of the access group.
    Q_INVOKABLE SharedAuth::Call *switchAccount(const SharedAuth::User &user)
    {
        return beginWithUser(shared_auth_session_switch_account_finish, shared_auth_session_switch_account_async, user);
    }

    /// Signs in anonymously. If the current user is already anonymous, that user stays current. The result is the user.
    Q_INVOKABLE SharedAuth::Call *signInAnonymously()
    {
        return begin(shared_auth_session_sign_in_anonymously_finish, shared_auth_session_sign_in_anonymously_async);
    }

    /// Signs in with an e-mail address and a password. The result is the user.
    Q_INVOKABLE SharedAuth::Call *signInWithPassword(const QString &email, const QString &password)
    {
        return begin(shared_auth_session_sign_in_with_password_finish, shared_auth_session_sign_in_with_password_async,
                     email.toUtf8().constData(), password.toUtf8().constData());
    }

    /// Creates an account with an e-mail address and a password, and signs in. The result is the user.
    Q_INVOKABLE SharedAuth::Call *createUser(const QString &email, const QString &password)
    {
        return begin(shared_auth_session_create_user_finish, shared_auth_session_create_user_async,
                     email.toUtf8().constData(), password.toUtf8().constData());
    }

    /// Lets the user sign in in the browser, within five minutes. With Firebase, the id is that of a service, such as
    /// `google.com`. The result is the user.
    Q_INVOKABLE SharedAuth::Call *signInWithBrowser(const QString &providerId = {})
    {
        return begin(shared_auth_session_sign_in_with_browser_finish, shared_auth_session_sign_in_with_browser_async,
                     GLib::orNull(providerId.toUtf8()));
    }

    /// Passes on the redirect of a running `signInWithBrowser` by hand, e.g. because the browser is on another machine:
    /// the whole address of the last page, which could not be opened there. After an error, the sign-in goes on waiting.
    Q_INVOKABLE SharedAuth::AuthError handleRedirect(const QString &address)
    {
        GError *error = nullptr;
        shared_auth_session_handle_redirect(object(), address.toUtf8().constData(), &error);
        return AuthError::taking(error);
    }

    /// Lets the user sign in with a code, in a browser on any device, within five minutes. `deviceCode` passes the code
    /// to show. The result is the user.
    Q_INVOKABLE SharedAuth::Call *signInWithDeviceCode()
    {
        return begin(shared_auth_session_sign_in_with_device_code_finish,
                     shared_auth_session_sign_in_with_device_code_async);
    }

    /// Signs in a user with tokens that the app has obtained itself. A token that was not issued is empty; without a
    /// time, the ID token does not expire; an empty issuer is that of the identity provider. The user has only a uid
    /// until `reload` gets the profile. The result is the user.
    Q_INVOKABLE SharedAuth::Call *signInWithTokens(const QString &uid, const QString &idToken,
                                                   const QString &refreshToken, const QDateTime &expiresAt = {},
                                                   const QString &issuer = {})
    {
        return begin(shared_auth_session_sign_in_with_tokens_finish, shared_auth_session_sign_in_with_tokens_async,
                     uid.toUtf8().constData(), GLib::orNull(idToken.toUtf8()), GLib::orNull(refreshToken.toUtf8()),
                     GLib::seconds(expiresAt), GLib::orNull(issuer.toUtf8()));
    }

    /// Adds an e-mail address and a password to the current user's account, as a sign-in method. The result is the
    /// user.
    Q_INVOKABLE SharedAuth::Call *linkWithPassword(const QString &email, const QString &password)
    {
        return begin(shared_auth_session_link_with_password_finish, shared_auth_session_link_with_password_async,
                     email.toUtf8().constData(), password.toUtf8().constData());
    }

    /// Signs the current user out, in every app of the access group. It also revokes the session at the identity
    /// provider; if that fails, the user is signed out, and the call fails with `SessionNotRevoked`.
    Q_INVOKABLE SharedAuth::Call *signOut()
    {
        return begin(shared_auth_session_sign_out_finish, shared_auth_session_sign_out_async);
    }

    /// Gets a valid ID token of the current user: the present one, or a new one if that expires soon.
    Q_INVOKABLE SharedAuth::Call *getIdToken(bool forceRefresh = false)
    {
        return begin(shared_auth_session_get_id_token_finish, shared_auth_session_get_id_token_async,
                     gboolean(forceRefresh));
    }

    /// Gets a valid access token of the current user; without scopes, for those of the sign-in.
    Q_INVOKABLE SharedAuth::Call *getAccessToken(const QStringList &scopes = {}, bool forceRefresh = false)
    {
        return begin(shared_auth_session_get_access_token_finish, shared_auth_session_get_access_token_async,
                     GLib::Texts(scopes).orNull(), gboolean(forceRefresh));
    }

    /// Prompts the user to unlock the keyring. The user has two minutes.
    Q_INVOKABLE SharedAuth::Call *unlock()
    {
        return begin(shared_auth_session_unlock_finish, shared_auth_session_unlock_async);
    }

    /// Fetches the current user's profile from the identity provider, and stores it for every app of the access group.
    Q_INVOKABLE SharedAuth::Call *reload()
    {
        return begin(shared_auth_session_reload_finish, shared_auth_session_reload_async);
    }

    /// Deletes the current user's account at the identity provider, and signs the user out.
    Q_INVOKABLE SharedAuth::Call *deleteUser()
    {
        return begin(shared_auth_session_delete_user_finish, shared_auth_session_delete_user_async);
    }

    /// The GObject; NULL before the session has started, or if it cannot start.
    SharedAuthSession *object() const { return m_session.get(); }

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
    void start()
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

    template <typename Value, typename Start, typename... Arguments>
    Call *begin(Call::Finish<Value> finish, Start starting, Arguments... arguments)
    {
        start();
        if (m_failure)
            return failing(m_failure);
        auto *call = new Call(this);
        starting(m_session.get(), arguments..., call->cancellable(), Call::returned<Value>, call->pending(finish));
        return call;
    }

    template <typename Value, typename Start>
    Call *beginWithUser(Call::Finish<Value> finish, Start starting, const User &user)
    {
        if (!user.isValid())
            return failing({AuthError::NullUser, QStringLiteral("The call needs a user, and was given none.")});
        return begin(finish, starting, user.object());
    }

    Call *failing(const AuthError &error)
    {
        auto *call = new Call(this);
        call->fail(error);
        return call;
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
