#pragma once

#include <SharedAuthQt/Result.h>
#include <SharedAuthQt/User.h>

#include <QFutureWatcher>
#include <QObject>
#include <QVariant>
#include <qqml.h>

namespace SharedAuth {

/// A call of a session in QML.
///
/// It emits `succeeded` or `failed`, then `finished`, after the function that started it has returned. Then it deletes
/// itself. If it is deleted earlier, alone or with its session, it is cancelled and emits nothing.
class Call : public QObject
{
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("A session makes its calls.")
    Q_PROPERTY(bool isRunning READ isRunning NOTIFY finished)
    Q_PROPERTY(QVariant result READ result NOTIFY finished)
    Q_PROPERTY(SharedAuth::AuthError error READ error NOTIFY finished)

public:
    /// Returns the call with that future.
    template <typename Value>
    static Call *following(QObject *session, const Future<Value> &future)
    {
        auto *watcher = new QFutureWatcher<Result<Value>>;
        auto *call = new Call(session, watcher);
        connect(watcher, &QFutureWatcherBase::finished, call, [call, watcher] {
            if (watcher->isCanceled())
                call->end({}, cancelled());
            else
                call->end(variant(watcher->result()), watcher->result().error());
        });
        watcher->setFuture(future);
        return call;
    }

    ~Call() override;

    /// Whether the call has not finished yet.
    bool isRunning() const;

    /// The result: a user, a token, or true.
    QVariant result() const;

    /// The error of a call that has failed.
    AuthError error() const;

    /// Cancels the call, which then fails with `Cancelled`. It may still have changed something: the properties of the
    /// session show that.
    Q_INVOKABLE void cancel();

Q_SIGNALS:
    void succeeded(const QVariant &result);
    void failed(const SharedAuth::AuthError &error);
    void finished();

private:
    Call(QObject *session, QFutureWatcherBase *watcher);

    static AuthError cancelled();
    static QVariant variant(const Result<void> &) { return true; }
    template <typename Value>
    static QVariant variant(const Result<Value> &result)
    {
        return result ? QVariant::fromValue(result.value()) : QVariant();
    }

    void end(const QVariant &result, const AuthError &error);

    QFutureWatcherBase *const m_watcher;
    QVariant m_result;
    AuthError m_error;
    bool m_isRunning = true;
};

} // namespace SharedAuth
