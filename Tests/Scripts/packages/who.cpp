// Prints the uid of the user of an access group.

#include <SharedAuthQt/SharedAuthQt.h>

#include <QCoreApplication>

#include <cstdio>

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    SharedAuth::Session session;
    session.setAppId(QStringLiteral("com.example.Who"));
    session.setAccessGroup(application.arguments().at(1));
    session.load().then(&application, [&](const SharedAuth::Result<SharedAuth::User> &user) {
        std::puts(qPrintable(user ? user->uid() : user.error().text()));
        application.quit();
    });
    return application.exec();
}
