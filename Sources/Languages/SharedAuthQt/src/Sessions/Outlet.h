#pragma once

#include <QObject>

#include <mutex>

namespace SharedAuth {

/// The way from the worker to an object of Qt, which may be deleted at any time on another thread.
class Outlet
{
public:
    explicit Outlet(QObject *receiver) : m_receiver(receiver) {}
    Q_DISABLE_COPY_MOVE(Outlet)

    /// Runs a function with the object later, on the thread of the object, unless that is deleted.
    template <typename Function>
    void post(Function function)
    {
        const std::lock_guard lock(m_mutex);
        if (QObject *receiver = m_receiver)
            QMetaObject::invokeMethod(receiver, [=] { function(receiver); }, Qt::QueuedConnection);
    }

    /// Begins the deletion of the object. No function runs after that.
    void close()
    {
        const std::lock_guard lock(m_mutex);
        m_receiver = nullptr;
    }

private:
    std::mutex m_mutex;
    QObject *m_receiver;
};

} // namespace SharedAuth
