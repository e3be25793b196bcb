#include "QmlSession.h"

namespace SharedAuth {

void QmlSession::classBegin()
{
    hold();
}

void QmlSession::componentComplete()
{
    start();
}

Call *QmlSession::load()
{
    return Call::following(this, Session::load());
}

Call *QmlSession::useAccessGroup(const QString &accessGroup)
{
    return Call::following(this, Session::useAccessGroup(accessGroup));
}

Call *QmlSession::getStoredUser(const QString &accessGroup)
{
    return Call::following(this, Session::getStoredUser(accessGroup));
}

Call *QmlSession::updateCurrentUser(const User &user)
{
    return Call::following(this, Session::updateCurrentUser(user));
}

Call *QmlSession::migrate(const QString &accessGroup, MigrationPolicy policy)
{
    return Call::following(this, Session::migrate(accessGroup, policy));
}

Call *QmlSession::switchAccount(const User &user)
{
    return Call::following(this, Session::switchAccount(user));
}

Call *QmlSession::signInAnonymously()
{
    return Call::following(this, Session::signInAnonymously());
}

Call *QmlSession::signInWithPassword(const QString &email, const QString &password)
{
    return Call::following(this, Session::signInWithPassword(email, password));
}

Call *QmlSession::createUser(const QString &email, const QString &password)
{
    return Call::following(this, Session::createUser(email, password));
}

Call *QmlSession::signInWithBrowser(const QString &providerId)
{
    return Call::following(this, Session::signInWithBrowser(providerId));
}

Call *QmlSession::signInWithDeviceCode()
{
    return Call::following(this, Session::signInWithDeviceCode());
}

Call *QmlSession::signInWithTokens(const QString &uid, const QString &idToken, const QString &refreshToken,
                                   const QDateTime &expiresAt, const QString &issuer)
{
    return Call::following(this, Session::signInWithTokens(uid, idToken, refreshToken, expiresAt, issuer));
}

Call *QmlSession::linkWithPassword(const QString &email, const QString &password)
{
    return Call::following(this, Session::linkWithPassword(email, password));
}

Call *QmlSession::signOut()
{
    return Call::following(this, Session::signOut());
}

Call *QmlSession::getIdToken(bool forceRefresh)
{
    return Call::following(this, Session::getIdToken(forceRefresh));
}

Call *QmlSession::getAccessToken(const QStringList &scopes, bool forceRefresh)
{
    return Call::following(this, Session::getAccessToken(scopes, forceRefresh));
}

Call *QmlSession::unlock()
{
    return Call::following(this, Session::unlock());
}

Call *QmlSession::reload()
{
    return Call::following(this, Session::reload());
}

Call *QmlSession::deleteUser()
{
    return Call::following(this, Session::deleteUser());
}

Call *QmlSession::getIdTokenOf(const User &user, bool forceRefresh)
{
    return Call::following(this, Session::getIdTokenOf(user, forceRefresh));
}

Call *QmlSession::getAccessTokenOf(const User &user, const QStringList &scopes, bool forceRefresh)
{
    return Call::following(this, Session::getAccessTokenOf(user, scopes, forceRefresh));
}

Call *QmlSession::reloadUser(const User &user)
{
    return Call::following(this, Session::reloadUser(user));
}

Call *QmlSession::signOutUser(const User &user)
{
    return Call::following(this, Session::signOutUser(user));
}

Call *QmlSession::deleteAccount(const User &user)
{
    return Call::following(this, Session::deleteAccount(user));
}

Call *QmlSession::linkUserWithPassword(const User &user, const QString &email, const QString &password)
{
    return Call::following(this, Session::linkUserWithPassword(user, email, password));
}

} // namespace SharedAuth
