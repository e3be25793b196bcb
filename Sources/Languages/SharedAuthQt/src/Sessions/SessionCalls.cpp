#include "Session.h"

#include "SessionPrivate.h"

#include <QMetaEnum>

namespace SharedAuth {

Future<User> Session::load()
{
    return d->begin(shared_auth_session_load_async, shared_auth_session_load_finish);
}

Future<void> Session::useAccessGroup(const QString &accessGroup)
{
    return d->begin(shared_auth_session_use_access_group_async, shared_auth_session_use_access_group_finish,
                    optional(accessGroup));
}

Future<User> Session::getStoredUser(const QString &accessGroup)
{
    return d->begin(shared_auth_session_get_stored_user_async, shared_auth_session_get_stored_user_finish,
                    optional(accessGroup));
}

Future<void> Session::updateCurrentUser(const User &user)
{
    return d->beginWithUser(shared_auth_session_update_current_user_async,
                            shared_auth_session_update_current_user_finish, user);
}

Future<void> Session::migrate(const QString &accessGroup, MigrationPolicy policy)
{
    if (!QMetaEnum::fromType<MigrationPolicy>().valueToKey(policy)) {
        const auto text = QStringLiteral("The migration policy has an unknown value.");
        return failed<void>({AuthError::InternalError, text});
    }
    return d->begin(shared_auth_session_migrate_async, shared_auth_session_migrate_finish, optional(accessGroup),
                    static_cast<SharedAuthMigrationPolicy>(policy));
}

Future<void> Session::switchAccount(const User &user)
{
    return d->beginWithUser(shared_auth_session_switch_account_async, shared_auth_session_switch_account_finish, user);
}

Future<User> Session::signInAnonymously()
{
    return d->begin(shared_auth_session_sign_in_anonymously_async, shared_auth_session_sign_in_anonymously_finish);
}

Future<User> Session::signInWithPassword(const QString &email, const QString &password)
{
    return d->begin(shared_auth_session_sign_in_with_password_async, shared_auth_session_sign_in_with_password_finish,
                    email.toUtf8(), password.toUtf8());
}

Future<User> Session::createUser(const QString &email, const QString &password)
{
    return d->begin(shared_auth_session_create_user_async, shared_auth_session_create_user_finish, email.toUtf8(),
                    password.toUtf8());
}

Future<User> Session::signInWithBrowser(const QString &providerId)
{
    d->updateOpening();
    return d->begin(shared_auth_session_sign_in_with_browser_async, shared_auth_session_sign_in_with_browser_finish,
                    optional(providerId));
}

Future<User> Session::signInWithDeviceCode()
{
    return d->begin(shared_auth_session_sign_in_with_device_code_async,
                    shared_auth_session_sign_in_with_device_code_finish);
}

Future<User> Session::signInWithTokens(const QString &uid, const QString &idToken, const QString &refreshToken,
                                       const QDateTime &expiresAt, const QString &issuer)
{
    return d->begin(shared_auth_session_sign_in_with_tokens_async, shared_auth_session_sign_in_with_tokens_finish,
                    uid.toUtf8(), optional(idToken), optional(refreshToken), GLib::seconds(expiresAt),
                    optional(issuer));
}

Future<User> Session::linkWithPassword(const QString &email, const QString &password)
{
    return d->begin(shared_auth_session_link_with_password_async, shared_auth_session_link_with_password_finish,
                    email.toUtf8(), password.toUtf8());
}

Future<void> Session::signOut()
{
    return d->begin(shared_auth_session_sign_out_async, shared_auth_session_sign_out_finish);
}

Future<QString> Session::getIdToken(bool forceRefresh)
{
    return d->begin(shared_auth_session_get_id_token_async, shared_auth_session_get_id_token_finish,
                    gboolean(forceRefresh));
}

Future<QString> Session::getAccessToken(const QStringList &scopes, bool forceRefresh)
{
    return d->begin(shared_auth_session_get_access_token_async, shared_auth_session_get_access_token_finish,
                    std::make_shared<GLib::Texts>(scopes), gboolean(forceRefresh));
}

Future<void> Session::unlock()
{
    return d->begin(shared_auth_session_unlock_async, shared_auth_session_unlock_finish);
}

Future<void> Session::reload()
{
    return d->begin(shared_auth_session_reload_async, shared_auth_session_reload_finish);
}

Future<void> Session::deleteUser()
{
    return d->begin(shared_auth_session_delete_user_async, shared_auth_session_delete_user_finish);
}

Future<QString> Session::getIdTokenOf(const User &user, bool forceRefresh)
{
    return d->beginOfUser(user, shared_auth_user_get_id_token_async, shared_auth_user_get_id_token_finish,
                          gboolean(forceRefresh));
}

Future<QString> Session::getAccessTokenOf(const User &user, const QStringList &scopes, bool forceRefresh)
{
    return d->beginOfUser(user, shared_auth_user_get_access_token_async, shared_auth_user_get_access_token_finish,
                          std::make_shared<GLib::Texts>(scopes), gboolean(forceRefresh));
}

Future<void> Session::reloadUser(const User &user)
{
    return d->beginOfUser(user, shared_auth_user_reload_async, shared_auth_user_reload_finish);
}

Future<void> Session::signOutUser(const User &user)
{
    return d->beginOfUser(user, shared_auth_user_sign_out_async, shared_auth_user_sign_out_finish);
}

Future<void> Session::deleteAccount(const User &user)
{
    return d->beginOfUser(user, shared_auth_user_delete_account_async, shared_auth_user_delete_account_finish);
}

Future<void> Session::linkUserWithPassword(const User &user, const QString &email, const QString &password)
{
    return d->beginOfUser(user, shared_auth_user_link_with_password_async, shared_auth_user_link_with_password_finish,
                          email.toUtf8(), password.toUtf8());
}

} // namespace SharedAuth
