#pragma once

#include "AuthError.h"
#include "User.h"

#include <QObject>
#include <QPointer>
#include <QVariant>

namespace SharedAuth {

/// An asynchronous call of a session.
///
/// It emits `succeeded` or `failed`, then `finished`, on the thread of the session and after the function that started
/// it has returned. Then it deletes itself. If it is deleted earlier, alone or with its session, it is cancelled and
/// emits nothing.
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

    /// Whether the call has not finished yet.
    bool isRunning() const { return m_isRunning; }

    /// The result, as documented for the function that started the call: a `User`, a token, or true.
    QVariant result() const { return m_result; }

    /// The result of a call that returns a user.
    User user() const { return m_result.value<User>(); }

    /// The error of a call that has failed.
    AuthError error() const { return m_error; }

    /// Cancels the call. It may still succeed; otherwise it fails, with `Cancelled` if it changed nothing.
    Q_INVOKABLE void cancel() { g_cancellable_cancel(m_cancellable.get()); }

Q_SIGNALS:
    void succeeded(const QVariant &result);
    void failed(const SharedAuth::AuthError &error);
    void finished();

private:
    friend class SessionCalls;

    /// A function of the GObject library that gets the result of a call of a session or a user.
    template <typename Object, typename Value>
    using Finish = Value (*)(Object *, GAsyncResult *, GError **);

    /// The data of the callback. The call may be deleted before the callback.
    template <typename Object, typename Value>
    struct Pending {
        QPointer<Call> call;
        Finish<Object, Value> finish;
    };

    explicit Call(QObject *session) : QObject(session) {}

    GCancellable *cancellable() const { return m_cancellable.get(); }

    template <typename Object, typename Value>
    gpointer pending(Finish<Object, Value> finish)
    {
        return new Pending<Object, Value>{this, finish};
    }

    /// The callback, on the thread of the call.
    template <typename Object, typename Value>
    static void returned(GObject *object, GAsyncResult *result, gpointer data)
    {
        using Data = Pending<Object, Value>;
        const std::unique_ptr<Data> pending(static_cast<Data *>(data));
        GError *error = nullptr;
        const QVariant value = taking(pending->finish(reinterpret_cast<Object *>(object), result, &error));
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
        // A slot may delete the session, which owns this call.
        const QPointer<Call> self(this);
        if (error)
            Q_EMIT failed(error);
        else
            Q_EMIT succeeded(result);
        if (self)
            Q_EMIT finished();
    }

    /// Fails after the function that started the call has returned.
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
