#include "office.h"

QObject *Office::makeSession(const QString &appId)
{
    auto *session = new SharedAuth::Session;
    session->setAppId(appId);
    return session;
}

SharedAuth::Future<SharedAuth::User> Office::load(QObject *session)
{
    return qobject_cast<SharedAuth::Session *>(session)->load();
}
