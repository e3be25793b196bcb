#include "Call.h"

#include <QPointer>

namespace SharedAuth {

Call::Call(QObject *session, QFutureWatcherBase *watcher) : QObject(session), m_watcher(watcher)
{
    watcher->setParent(this);
}

Call::~Call()
{
    if (m_isRunning)
        m_watcher->cancel();
}

bool Call::isRunning() const
{
    return m_isRunning;
}

QVariant Call::result() const
{
    return m_result;
}

AuthError Call::error() const
{
    return m_error;
}

void Call::cancel()
{
    m_watcher->cancel();
}

AuthError Call::cancelled()
{
    return {AuthError::Cancelled, QStringLiteral("The call was cancelled.")};
}

void Call::end(const QVariant &result, const AuthError &error)
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
        Q_EMIT succeeded(m_result);
    if (self)
        Q_EMIT finished();
}

} // namespace SharedAuth
