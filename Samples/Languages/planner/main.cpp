// A sample app with one window, which shows the user who is signed in to the apps of an access group.

#include <QGuiApplication>
#include <QIcon>
#include <QQmlApplicationEngine>

int main(int argc, char **argv)
{
    QGuiApplication application(argc, argv);
    // The name of the desktop file is the app id of sessions.
    application.setDesktopFileName("com.example.Planner");
    application.setApplicationName("com.example.Planner");
    QIcon::setFallbackThemeName("Adwaita");
    QQmlApplicationEngine engine("qrc:/Planner.qml");
    return engine.rootObjects().isEmpty() ? 1 : application.exec();
}
