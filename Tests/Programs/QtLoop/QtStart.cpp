// Qt's initialization as an app with windows makes it, as a shared library that a Swift program loads.

#include <QGuiApplication>

/// Initializes Qt for windows that nobody sees.
extern "C" void qt_start() {
    static int count = 3;
    static char name[] = "QtStart", option[] = "-platform", platform[] = "offscreen";
    static char *arguments[] = {name, option, platform, nullptr};
    // It lives as long as the process.
    new QGuiApplication(count, arguments);
    QCoreApplication::processEvents();
}
