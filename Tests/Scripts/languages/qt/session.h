#pragma once

#include "SessionPrivate.h"

#include <SharedAuthQt/SharedAuthQt.h>

#include <QTest>

#include <atomic>

/// The limit of a wait, in milliseconds.
constexpr int PATIENCE = 60'000;

/// A session of an app that no other test uses. It counts the GObjects of such sessions.
class TestSession : public SharedAuth::Session
{
public:
    static inline std::atomic<int> existing = 0;

    TestSession()
    {
        static int number = 0;
        setAppId(QStringLiteral("org.example.qt.app%1-%2").arg(++number).arg(QCoreApplication::applicationPid()));
        setProject(appId());
        setIdentityProvider(new SharedAuth::LocalProvider(this));
    }

    /// Starts the session, and counts its GObject until that is finalized.
    void begin()
    {
        start();
        ++existing;
        g_object_weak_ref(G_OBJECT(object()), [](gpointer, GObject *) { --existing; }, nullptr);
    }

    SharedAuthSession *object() const { return d->object() ? d->object()->object.get() : nullptr; }
};

/// Waits for the result of a call.
template <typename Value>
SharedAuth::Result<Value> result(const SharedAuth::Future<Value> &future)
{
    if (!QTest::qWaitFor([&] { return future.isFinished(); }, PATIENCE))
        qFatal("The future is not finished.");
    if (future.resultCount() == 0)
        return SharedAuth::AuthError(SharedAuth::AuthError::Cancelled, QStringLiteral("cancelled"));
    return future.result();
}
