// Qt's main loop as a shared library: a program in Swift runs it on its main thread, and puts nothing between it and Qt.

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

/// The class by which Qt waits for events.
extern "C" const char *loop_name() { return dispatcher()->metaObject()->className(); }

/// Runs the loop; does not return while the program lives.
extern "C" void loop_run() {
    dispatcher();
    QCoreApplication::exec();
}

/// Does what there is to do once, and says whether there was something; may wait for it.
extern "C" bool loop_iterate(bool may_wait) {
    return dispatcher()->processEvents(may_wait ? QEventLoop::WaitForMoreEvents : QEventLoop::AllEvents);
}
