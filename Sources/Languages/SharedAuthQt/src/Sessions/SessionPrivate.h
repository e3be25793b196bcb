#pragma once

#include "AccountsPrivate.h"
#include "Calls.h"
#include "SessionObject.h"
#include "Worker.h"

#include <QPointer>

namespace SharedAuth {

/// A session on the thread of the app: its options, its properties, and its calls in progress.
class SessionPrivate
{
public:
    explicit SessionPrivate(SessionOptions *session);
    Q_DISABLE_COPY_MOVE(SessionPrivate)

    // The options.
    QString appId, teamId, appName, project, keyFile, accessGroup;
    QStringList accessGroups;
    QPointer<IdentityProvider> identityProvider;
    Session::Store store = Session::Keyring;
    Session::OwnUserPolicy ownUserPolicy = Session::Clear;
    bool keepsOtherUsers = false;
    bool refreshesTokens = true;
    int timeout = 5'000;
    int identityTimeout = 40'000;

    /// Returns whether the option has changed.
    template <typename Value>
    bool set(Value &option, const Value &value)
    {
        if (option == value)
            return false;
        if (hasStarted()) {
            qWarning("SharedAuth: The options of a session cannot be changed after it has started.");
            return false;
        }
        option = value;
        Q_EMIT m_session->optionsChanged();
        return true;
    }

    Accounts *accounts = nullptr;
    Snapshot now;
    /// Keeps the session from starting when the event loop runs.
    bool isHeld = false;

    bool hasStarted() const { return m_object || m_failure; }
    void start();
    void close();

    /// Ends the session before its deletion, and finishes its calls.
    void end();

    /// Takes note whether the app opens the addresses of sign-in pages itself.
    void updateOpening();

    /// The GObject on the worker; NULL before the session has started, and if it was closed before.
    SessionObject *object() const { return m_object.get(); }

    /// Makes a call of the session.
    template <typename Value, typename Start, typename... Arguments>
    auto begin(Start starting, Finish<SharedAuthSession, Value> finish, const Arguments &...arguments)
    {
        start();
        using Type = typename Returned<Value>::Type;
        return m_object ? m_calls.begin(m_object->object, starting, finish, arguments...) : failed<Type>(m_failure);
    }

    /// Makes a call of the session with a user.
    template <typename Value, typename Start>
    auto beginWithUser(Start starting, Finish<SharedAuthSession, Value> finish, const User &user)
    {
        using Type = typename Returned<Value>::Type;
        return user.isValid() ? begin(starting, finish, user) : failed<Type>(noUser());
    }

    /// Makes a call of a user.
    template <typename Value, typename Start, typename... Arguments>
    auto beginOfUser(const User &user, Start starting, Finish<SharedAuthUser, Value> finish,
                     const Arguments &...arguments)
    {
        using Type = typename Returned<Value>::Type;
        if (!user.isValid())
            return failed<Type>(noUser());
        return m_calls.begin(UserData::object(user), starting, finish, arguments...);
    }

    /// Passes an address to a sign-in.
    AuthError handle(gboolean (*handling)(SharedAuthSession *, const char *, GError **), const QByteArray &address);

    static SessionPrivate *of(QObject *session) { return static_cast<Session *>(session)->d.get(); }

private:
    static AuthError noUser()
    {
        return {AuthError::NullUser, QStringLiteral("The call needs a user, and was given none.")};
    }

    Session *q() const { return static_cast<Session *>(m_session); }
    std::shared_ptr<SharedAuthSession> make(SharedAuthIdentityProvider *provider) const;

    /// The session, as far as its constructor has come.
    SessionOptions *const m_session;
    const std::shared_ptr<Outlet> m_outlet;
    Calls m_calls;
    std::shared_ptr<SessionObject> m_object;
    /// The reason why the session has not started and does not start.
    AuthError m_failure;
};

} // namespace SharedAuth
