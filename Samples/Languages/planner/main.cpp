// Planner: its window shows the user who is signed in, here and in every other app of the group.

#include <SharedAuthQt/Qml.h>

#include <QGuiApplication>
#include <QIcon>
#include <QQmlApplicationEngine>

int main(int argc, char **argv)
{
    QGuiApplication application(argc, argv);
    // The app id, which a session takes from the name of the desktop file.
    application.setApplicationName("com.example.Planner");
    application.setDesktopFileName("com.example.Planner");
    QIcon::setFallbackThemeName("Adwaita");
    SharedAuth::registerQmlTypes();
    QQmlApplicationEngine engine("qrc:/Planner.qml");
    return engine.rootObjects().isEmpty() ? 1 : application.exec();
}
