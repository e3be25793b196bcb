#pragma once

#include "Call.h"

#include <SharedAuthQt/Session.h>

#include <QQmlParserStatus>

namespace SharedAuth {

/// A session as a QML element, which starts when its properties have been set. Its calls are objects.
class QmlSession : public SharedAuth::Session, public QQmlParserStatus
{
    Q_OBJECT
    Q_INTERFACES(QQmlParserStatus)
    QML_NAMED_ELEMENT(Session)

public:
    using Session::Session;

    void classBegin() override;
    void componentComplete() override;

    // The calls of `Session`.

    Q_INVOKABLE SharedAuth::Call *load();
    Q_INVOKABLE SharedAuth::Call *useAccessGroup(const QString &accessGroup);
    Q_INVOKABLE SharedAuth::Call *getStoredUser(const QString &accessGroup);
    Q_INVOKABLE SharedAuth::Call *updateCurrentUser(const SharedAuth::User &user);
    Q_INVOKABLE SharedAuth::Call *migrate(const QString &accessGroup,
                                          SharedAuth::SessionOptions::MigrationPolicy policy = Fail);
    Q_INVOKABLE SharedAuth::Call *switchAccount(const SharedAuth::User &user);
    Q_INVOKABLE SharedAuth::Call *signInAnonymously();
    Q_INVOKABLE SharedAuth::Call *signInWithPassword(const QString &email, const QString &password);
    Q_INVOKABLE SharedAuth::Call *createUser(const QString &email, const QString &password);
    Q_INVOKABLE SharedAuth::Call *signInWithBrowser(const QString &providerId = {});
    Q_INVOKABLE SharedAuth::Call *signInWithDeviceCode();
    Q_INVOKABLE SharedAuth::Call *signInWithTokens(const QString &uid, const QString &idToken,
                                                   const QString &refreshToken, const QDateTime &expiresAt = {},
                                                   const QString &issuer = {});
    Q_INVOKABLE SharedAuth::Call *linkWithPassword(const QString &email, const QString &password);
    Q_INVOKABLE SharedAuth::Call *signOut();
    Q_INVOKABLE SharedAuth::Call *getIdToken(bool forceRefresh = false);
    Q_INVOKABLE SharedAuth::Call *getAccessToken(const QStringList &scopes = {}, bool forceRefresh = false);
    Q_INVOKABLE SharedAuth::Call *unlock();
    Q_INVOKABLE SharedAuth::Call *reload();
    Q_INVOKABLE SharedAuth::Call *deleteUser();
    Q_INVOKABLE SharedAuth::Call *getIdTokenOf(const SharedAuth::User &user, bool forceRefresh = false);
    Q_INVOKABLE SharedAuth::Call *getAccessTokenOf(const SharedAuth::User &user, const QStringList &scopes = {},
                                                   bool forceRefresh = false);
    Q_INVOKABLE SharedAuth::Call *reloadUser(const SharedAuth::User &user);
    Q_INVOKABLE SharedAuth::Call *signOutUser(const SharedAuth::User &user);
    Q_INVOKABLE SharedAuth::Call *deleteAccount(const SharedAuth::User &user);
    Q_INVOKABLE SharedAuth::Call *linkUserWithPassword(const SharedAuth::User &user, const QString &email,
                                                       const QString &password);
};

} // namespace SharedAuth
