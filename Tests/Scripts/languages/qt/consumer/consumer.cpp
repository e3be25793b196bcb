// Uses the library through another one, for test_qt.py: prints whether a session of that one is a session here, and the
// result of a call.

#include <QCoreApplication>

#include <office.h>

#include <cstdio>

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    const std::unique_ptr<QObject> made(Office::makeSession(application.arguments().at(1)));
    std::printf("session %d\n", qobject_cast<SharedAuth::Session *>(made.get()) != nullptr);
    Office::load(made.get()).then(made.get(), [&](const SharedAuth::Result<SharedAuth::User> &user) {
        std::printf("loaded %d\n", user && !user->isValid());
        application.quit();
    });
    return application.exec();
}
