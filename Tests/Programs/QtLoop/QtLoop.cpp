// Qt's main loop as a shared library, which a Swift program loads and runs on its main thread.

#include <QAbstractEventDispatcher>
#include <QCoreApplication>

namespace {

QAbstractEventDispatcher *dispatcher() {
    static int count = 1;
    static char name[] = "QtLoop";
    static char *arguments[] = {name, nullptr};
    // It lives as long as the process.
    static auto *application = new QCoreApplication(count, arguments);
    return QAbstractEventDispatcher::instance(application->thread());
}

}

/// Returns the name of the class that waits for Qt's events.
extern "C" const char *loop_name() { return dispatcher()->metaObject()->className(); }

/// Runs the loop until the program ends.
extern "C" void loop_run() {
    dispatcher();
    QCoreApplication::exec();
}

/// Processes the pending events, and returns whether there were any. With `may_wait`, waits for one first.
extern "C" bool loop_iterate(bool may_wait) {
    return dispatcher()->processEvents(may_wait ? QEventLoop::WaitForMoreEvents : QEventLoop::AllEvents);
}
