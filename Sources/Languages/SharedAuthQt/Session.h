#pragma once

#include "Accounts.h"
#include "Call.h"
#include "SessionOptions.h"

#include <QAbstractEventDispatcher>
#include <QMetaEnum>
#include <QUrl>

namespace SharedAuth {

/// The user of an app, and of all apps of its access group.
///
/// Creating a session waits for nothing. It starts when the event loop runs, or with the first call, and stays on that
/// thread, whose event loop has to be GLib's, as Qt's is on Linux.
class Session : public SessionOptions
{
    Q_OBJECT
    Q_PROPERTY(State state READ state NOTIFY stateChanged)
    Q_PROPERTY(SharedAuth::User user READ user NOTIFY userChanged)
    Q_PROPERTY(QString accessGroup READ accessGroup NOTIFY accessGroupChanged)
    Q_PROPERTY(SharedAuth::Accounts *accounts READ accounts CONSTANT)
    Q_PROPERTY(SharedAuth::AuthError error READ error NOTIFY errorChanged)

public:
    /// What is known of the current user. Only `SignedOut` means that no user is signed in.
    enum State {
        /// Not known yet.
        Unknown = SHARED_AUTH_STATE_UNKNOWN,
        SignedIn = SHARED_AUTH_STATE_SIGNED_IN,
        SignedOut = SHARED_AUTH_STATE_SIGNED_OUT,
        /// The keyring is locked; `unlock` has it ask the user.
        Locked = SHARED_AUTH_STATE_LOCKED,
        /// No keyring answers, or the options are wrong: `error` has the reason.
        Unavailable = SHARED_AUTH_STATE_UNAVAILABLE,
        /// The record cannot be read; the next sign-in or sign-out replaces it.
        Damaged = SHARED_AUTH_STATE_DAMAGED,
    };
    Q_ENUM(State)

    /// What `migrate` does if another user is current in the access group.
    enum MigrationPolicy {
        /// Fails and changes nothing.
        Fail = SHARED_AUTH_MIGRATION_POLICY_FAIL,
        /// Replaces the other user.
        Replace = SHARED_AUTH_MIGRATION_POLICY_REPLACE,
        /// Adds the user as another account; the other user stays current.
        Add = SHARED_AUTH_MIGRATION_POLICY_ADD,
        /// Changes nothing and succeeds.
        Skip = SHARED_AUTH_MIGRATION_POLICY_SKIP,
        /// Joins the other user; the user stays stored in the former place.
        Join = SHARED_AUTH_MIGRATION_POLICY_JOIN,
    };
    Q_ENUM(MigrationPolicy)

    explicit Session(QObject *parent = nullptr) : SessionOptions(parent)
    {
        QMetaObject::invokeMethod(this, [this] { startUnlessHeld(); }, Qt::QueuedConnection);
    }

    // The properties have the values of one announcement while the receivers of its signals run.

    State state() const
    {
        if (m_failure)
            return Unavailable;
        return m_session ? static_cast<State>(shared_auth_session_get_state(m_session.get())) : Unknown;
    }

    /// The current user; no user in every state but `SignedIn`.
    User user() const { return m_session ? User::taking(shared_auth_session_dup_user(m_session.get())) : User(); }

    /// The access group in use; empty for the app's own place.
    QString accessGroup() const
    {
        return m_session ? GLib::takingText(shared_auth_session_dup_access_group(m_session.get())) : QString();
    }

    /// The users of the access group in use.
    Accounts *accounts() const { return m_accounts; }

    /// The reason why the current user is not known; no error if the user is known.
    AuthError error() const
    {
        if (m_failure || !m_session)
            return m_failure;
        return AuthError::taking(shared_auth_session_dup_error(m_session.get()));
    }

    // Calls, which return at once; the call emits the result. An empty access group is the app's own place.

    /// Waits until the current user is known. Result: the user, or no user.
    Q_INVOKABLE SharedAuth::Call *load()
    {
        return begin(shared_auth_session_load_finish, shared_auth_session_load_async);
    }

    /// Switches to an access group, whose user becomes current.
    Q_INVOKABLE SharedAuth::Call *useAccessGroup(const QString &accessGroup)
    {
        return begin(shared_auth_session_use_access_group_finish, shared_auth_session_use_access_group_async,
                     GLib::orNull(accessGroup.toUtf8()));
    }

    /// Reads the current user of an access group without a switch. Result: the user, or no user.
    Q_INVOKABLE SharedAuth::Call *getStoredUser(const QString &accessGroup)
    {
        return begin(shared_auth_session_get_stored_user_finish, shared_auth_session_get_stored_user_async,
                     GLib::orNull(accessGroup.toUtf8()));
    }

    /// Makes a user current, and stores the user in the access group in use.
    Q_INVOKABLE SharedAuth::Call *updateCurrentUser(const SharedAuth::User &user)
    {
        return beginWithUser(shared_auth_session_update_current_user_finish,
                             shared_auth_session_update_current_user_async, user);
    }

    /// Moves the current user to an access group, and switches there.
    Q_INVOKABLE SharedAuth::Call *migrate(const QString &accessGroup, MigrationPolicy policy = Fail)
    {
        if (!QMetaEnum::fromType<MigrationPolicy>().valueToKey(policy))
            return failing({AuthError::InternalError, QStringLiteral("The migration policy has an unknown value.")});
        return begin(shared_auth_session_migrate_finish, shared_auth_session_migrate_async,
                     GLib::orNull(accessGroup.toUtf8()), static_cast<SharedAuthMigrationPolicy>(policy));
    }

    /// Makes another of the `accounts` current, in every app of the group.
    Q_INVOKABLE SharedAuth::Call *switchAccount(const SharedAuth::User &user)
    {
        return beginWithUser(shared_auth_session_switch_account_finish, shared_auth_session_switch_account_async, user);
    }

    /// Signs a guest in; an anonymous user who is current stays. Result: the user.
    Q_INVOKABLE SharedAuth::Call *signInAnonymously()
    {
        return begin(shared_auth_session_sign_in_anonymously_finish, shared_auth_session_sign_in_anonymously_async);
    }

    /// Signs in with an e-mail address and a password. Result: the user.
    Q_INVOKABLE SharedAuth::Call *signInWithPassword(const QString &email, const QString &password)
    {
        return begin(shared_auth_session_sign_in_with_password_finish, shared_auth_session_sign_in_with_password_async,
                     email.toUtf8().constData(), password.toUtf8().constData());
    }

    /// Creates an account with an e-mail address and a password, and signs in. Result: the user.
    Q_INVOKABLE SharedAuth::Call *createUser(const QString &email, const QString &password)
    {
        return begin(shared_auth_session_create_user_finish, shared_auth_session_create_user_async,
                     email.toUtf8().constData(), password.toUtf8().constData());
    }

    /// Has the user sign in with the browser; with Firebase, at the service of that id, such as `google.com`.
    /// Result: the user.
    Q_INVOKABLE SharedAuth::Call *signInWithBrowser(const QString &providerId = {})
    {
        return begin(shared_auth_session_sign_in_with_browser_finish, shared_auth_session_sign_in_with_browser_async,
                     GLib::orNull(providerId.toUtf8()));
    }

    /// Has the user sign in with a code, in a browser on any machine; `deviceCode` has the code. Result: the user.
    Q_INVOKABLE SharedAuth::Call *signInWithDeviceCode()
    {
        return begin(shared_auth_session_sign_in_with_device_code_finish,
                     shared_auth_session_sign_in_with_device_code_async);
    }

    /// Signs in a user whose tokens the app has already. Empty tokens are none, and an empty issuer is the one of the
    /// identity provider. Result: the user.
    Q_INVOKABLE SharedAuth::Call *signInWithTokens(const QString &uid, const QString &idToken,
                                                   const QString &refreshToken, const QDateTime &expiresAt,
                                                   const QString &issuer = {})
    {
        return begin(shared_auth_session_sign_in_with_tokens_finish, shared_auth_session_sign_in_with_tokens_async,
                     uid.toUtf8().constData(), GLib::orNull(idToken.toUtf8()), GLib::orNull(refreshToken.toUtf8()),
                     gint64(expiresAt.toSecsSinceEpoch()), GLib::orNull(issuer.toUtf8()));
    }

    /// Gives the current user an e-mail address and a password to sign in with. Result: the user.
    Q_INVOKABLE SharedAuth::Call *linkWithPassword(const QString &email, const QString &password)
    {
        return begin(shared_auth_session_link_with_password_finish, shared_auth_session_link_with_password_async,
                     email.toUtf8().constData(), password.toUtf8().constData());
    }

    /// Signs the current user out, in every app of the access group.
    Q_INVOKABLE SharedAuth::Call *signOut()
    {
        return begin(shared_auth_session_sign_out_finish, shared_auth_session_sign_out_async);
    }

    /// Returns an ID token of the current user that has not expired. Result: the token.
    Q_INVOKABLE SharedAuth::Call *getIdToken(bool forceRefresh = false)
    {
        return begin(shared_auth_session_get_id_token_finish, shared_auth_session_get_id_token_async,
                     gboolean(forceRefresh));
    }

    /// Returns an access token of the current user; without scopes, with those of the sign-in. Result: the token.
    Q_INVOKABLE SharedAuth::Call *getAccessToken(const QStringList &scopes = {}, bool forceRefresh = false)
    {
        return begin(shared_auth_session_get_access_token_finish, shared_auth_session_get_access_token_async,
                     GLib::Texts(scopes).orNull(), gboolean(forceRefresh));
    }

    /// Has the keyring ask the user to unlock it, who has two minutes.
    Q_INVOKABLE SharedAuth::Call *unlock()
    {
        return begin(shared_auth_session_unlock_finish, shared_auth_session_unlock_async);
    }

    /// Asks the identity provider for the current user's properties, and stores them.
    Q_INVOKABLE SharedAuth::Call *reload()
    {
        return begin(shared_auth_session_reload_finish, shared_auth_session_reload_async);
    }

    /// Deletes the account of the current user at the identity provider, and signs the user out.
    Q_INVOKABLE SharedAuth::Call *deleteUser()
    {
        return begin(shared_auth_session_delete_user_finish, shared_auth_session_delete_user_async);
    }

    /// The session's GObject; NULL before it has started, or without GLib's event loop.
    SharedAuthSession *object() const { return m_session.get(); }

Q_SIGNALS:
    void stateChanged();
    /// Emitted when another user or no user becomes current, and when the user's properties change.
    void userChanged();
    void accessGroupChanged();
    void errorChanged();

    /// Emitted when the current user is known, and when another user or no user becomes current: each change once, in
    /// order, after the signals of the properties.
    void announced(const SharedAuth::User &user);

    /// Emitted with the address of a sign-in page. If it is not connected, the desktop opens the address.
    void openAddress(const QUrl &address);

    /// Emitted with the code to show in a sign-in with a device code, the page to enter it in, and that page with the
    /// code filled in (empty if there is none).
    void deviceCode(const QString &code, const QString &address, const QString &completeAddress);

protected:
    bool hasStarted() const override { return m_session || m_failure; }

    /// Keeps the session from starting by itself until `start`, while its options are still being set.
    void hold() { m_isHeld = true; }

    /// Starts with the present options, unless it has started.
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

    /// Says once for the program that nothing will be heard.
    void failToStart(const QAbstractEventDispatcher *dispatcher)
    {
        static const QString text = QStringLiteral(
            "Nothing will be heard from the keyring, because the event loop of this thread is not GLib's (%1). Unset "
            "QT_NO_GLIB, use a Qt that is built with GLib, and create QCoreApplication before the first call.");
        const char *name = dispatcher ? dispatcher->metaObject()->className() : "there is none";
        m_failure = {AuthError::KeyringUnavailable, text.arg(QString::fromUtf8(name))};
        [[maybe_unused]] static const bool isSaid = (qWarning("SharedAuth: %ls", qUtf16Printable(m_failure.text())), true);
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

    /// Hears of changes of the current user's properties.
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
