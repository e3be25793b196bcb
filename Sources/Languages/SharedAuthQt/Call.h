#pragma once

#include "AuthError.h"
#include "User.h"

#include <QObject>
#include <QPointer>
#include <QVariant>

namespace SharedAuth {

/// A call of a session, which returns later, on the session's thread.
///
/// `finished` is emitted once, and after it the call deletes itself. A call that is deleted before, also with its
/// session, is cancelled and emits nothing.
class Call : public QObject
{
    Q_OBJECT
    Q_PROPERTY(bool isRunning READ isRunning NOTIFY finished)
    Q_PROPERTY(QVariant result READ result NOTIFY finished)
    Q_PROPERTY(SharedAuth::AuthError error READ error NOTIFY finished)

public:
    ~Call() override
    {
        if (m_isRunning)
            cancel();
    }

    /// Whether it has not returned yet.
    bool isRunning() const { return m_isRunning; }

    /// Its result: a `User`, a token as a text, or true, as the function of the session says.
    QVariant result() const { return m_result; }

    /// Its result if that is a user.
    User user() const { return m_result.value<User>(); }

    /// The reason why it failed.
    AuthError error() const { return m_error; }

    /// Cancels the call, which then fails with `Cancelled`, unless it is completed nevertheless.
    Q_INVOKABLE void cancel() { g_cancellable_cancel(m_cancellable.get()); }

Q_SIGNALS:
    /// Emitted if the call has succeeded.
    void succeeded(const QVariant &result);

    /// Emitted if the call has failed.
    void failed(const SharedAuth::AuthError &error);

    /// Emitted after either.
    void finished();

private:
    friend class Session;

    /// A function of the GObject library that returns the result of a call.
    template <typename Value>
    using Finish = Value (*)(SharedAuthSession *, GAsyncResult *, GError **);

    /// The data of the callback, by which it finds the call if that still exists.
    template <typename Value>
    struct Pending {
        QPointer<Call> call;
        Finish<Value> finish;
    };

    explicit Call(QObject *session) : QObject(session) {}

    GCancellable *cancellable() const { return m_cancellable.get(); }

    template <typename Value>
    gpointer pending(Finish<Value> finish)
    {
        return new Pending<Value>{this, finish};
    }

    /// The callback of the GObject library, called on the thread of the call.
    template <typename Value>
    static void returned(GObject *session, GAsyncResult *result, gpointer data)
    {
        const std::unique_ptr<Pending<Value>> pending(static_cast<Pending<Value> *>(data));
        GError *error = nullptr;
        const QVariant value = taking(pending->finish(reinterpret_cast<SharedAuthSession *>(session), result, &error));
        const AuthError failure = AuthError::taking(error);
        if (pending->call)
            pending->call->end(value, failure);
    }

    static QVariant taking(gboolean isDone) { return isDone != FALSE; }
    static QVariant taking(char *text) { return GLib::takingText(text); }
    static QVariant taking(SharedAuthUser *user) { return QVariant::fromValue(User::taking(user)); }

    void end(const QVariant &result, const AuthError &error)
    {
        m_isRunning = false;
        m_error = error;
        if (!error)
            m_result = result;
        deleteLater();
        // A receiver may delete the session and this call with it.
        const QPointer<Call> self(this);
        if (error)
            Q_EMIT failed(error);
        else
            Q_EMIT succeeded(result);
        if (self)
            Q_EMIT finished();
    }

    /// Fails later, as a call that was begun does.
    void fail(const AuthError &error)
    {
        QMetaObject::invokeMethod(this, [this, error] { end({}, error); }, Qt::QueuedConnection);
    }

    const std::shared_ptr<GCancellable> m_cancellable = GLib::taking(g_cancellable_new());
    QVariant m_result;
    AuthError m_error;
    bool m_isRunning = true;
};

} // namespace SharedAuth
