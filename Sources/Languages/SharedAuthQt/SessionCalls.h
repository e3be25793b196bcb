#pragma once

#include "Call.h"
#include "SessionOptions.h"

#include <QMetaEnum>
#include <QUrl>

namespace SharedAuth {

/// The calls of a session. The first one starts the session.
class SessionCalls : public SessionOptions
{
    Q_OBJECT

public:
    // Calls. Without another statement, the result is true. An empty access group is the app's own slot.

    /// Waits until the current user is known. The result is that user, or no user.
    Q_INVOKABLE SharedAuth::Call *load()
    {
        return begin(shared_auth_session_load_finish, shared_auth_session_load_async);
    }

    /// Switches to an access group, or to the app's own slot. The user who is stored there becomes current. Switching
    /// from the app's own slot to a group deletes the user of the own slot; `migrate` moves that user.
    Q_INVOKABLE SharedAuth::Call *useAccessGroup(const QString &accessGroup)
    {
        return begin(shared_auth_session_use_access_group_finish, shared_auth_session_use_access_group_async,
                     GLib::orNull(accessGroup.toUtf8()));
    }

    /// Gets the user stored in an access group, without switching to it. The result is that user, or no user.
    Q_INVOKABLE SharedAuth::Call *getStoredUser(const QString &accessGroup)
    {
        return begin(shared_auth_session_get_stored_user_finish, shared_auth_session_get_stored_user_async,
                     GLib::orNull(accessGroup.toUtf8()));
    }

    /// Makes a user current, and stores the user in the slot in use.
    Q_INVOKABLE SharedAuth::Call *updateCurrentUser(const SharedAuth::User &user)
    {
        return beginWithUser(shared_auth_session_update_current_user_finish,
                             shared_auth_session_update_current_user_async, user);
    }

    /// Moves the current user to an access group, and switches to it. At every moment, the user is stored.
    Q_INVOKABLE SharedAuth::Call *migrate(const QString &accessGroup, MigrationPolicy policy = Fail)
    {
        if (!QMetaEnum::fromType<MigrationPolicy>().valueToKey(policy))
            return failing({AuthError::InternalError, QStringLiteral("The migration policy has an unknown value.")});
        return begin(shared_auth_session_migrate_finish, shared_auth_session_migrate_async,
                     GLib::orNull(accessGroup.toUtf8()), static_cast<SharedAuthMigrationPolicy>(policy));
    }

    /// Makes another of the `accounts` current, in every app of the access group.
    Q_INVOKABLE SharedAuth::Call *switchAccount(const SharedAuth::User &user)
    {
        return beginWithUser(shared_auth_session_switch_account_finish, shared_auth_session_switch_account_async, user);
    }

    /// Signs in anonymously. If the current user is already anonymous, that user stays current. The result is the user.
    Q_INVOKABLE SharedAuth::Call *signInAnonymously()
    {
        return begin(shared_auth_session_sign_in_anonymously_finish, shared_auth_session_sign_in_anonymously_async);
    }

    /// Signs in with an e-mail address and a password. The result is the user.
    Q_INVOKABLE SharedAuth::Call *signInWithPassword(const QString &email, const QString &password)
    {
        return begin(shared_auth_session_sign_in_with_password_finish, shared_auth_session_sign_in_with_password_async,
                     email.toUtf8().constData(), password.toUtf8().constData());
    }

    /// Creates an account with an e-mail address and a password, and signs in. The result is the user.
    Q_INVOKABLE SharedAuth::Call *createUser(const QString &email, const QString &password)
    {
        return begin(shared_auth_session_create_user_finish, shared_auth_session_create_user_async,
                     email.toUtf8().constData(), password.toUtf8().constData());
    }

    /// Lets the user sign in in the browser, within five minutes. With Firebase, the id is that of a service, such as
    /// `google.com`. The result is the user.
    Q_INVOKABLE SharedAuth::Call *signInWithBrowser(const QString &providerId = {})
    {
        return begin(shared_auth_session_sign_in_with_browser_finish, shared_auth_session_sign_in_with_browser_async,
                     GLib::orNull(providerId.toUtf8()));
    }

    /// Passes on the redirect of a running `signInWithBrowser` by hand, e.g. because the browser is on another machine:
    /// the whole address of the last page, which could not be opened there. After an error, the sign-in goes on waiting.
    Q_INVOKABLE SharedAuth::AuthError handleRedirect(const QString &address)
    {
        GError *error = nullptr;
        shared_auth_session_handle_redirect(object(), address.toUtf8().constData(), &error);
        return AuthError::taking(error);
    }

    /// Passes on an address of the app's own scheme, with which the desktop has opened the app at the end of a running
    /// `signInWithBrowser`: the identity provider has it as its `redirectUri`. The sign-in goes on waiting after an error,
    /// which every other address gives.
    Q_INVOKABLE SharedAuth::AuthError handleUri(const QUrl &uri)
    {
        if (!object())
            return {AuthError::OperationNotAllowed, QStringLiteral("The session has not started.")};
        GError *error = nullptr;
        shared_auth_session_handle_uri(object(), uri.toEncoded().constData(), &error);
        return AuthError::taking(error);
    }

    /// Lets the user sign in with a code, in a browser on any device, within five minutes. `deviceCode` passes the code
    /// to show. The result is the user.
    Q_INVOKABLE SharedAuth::Call *signInWithDeviceCode()
    {
        return begin(shared_auth_session_sign_in_with_device_code_finish,
                     shared_auth_session_sign_in_with_device_code_async);
    }

    /// Signs in a user with tokens that the app has obtained itself. A token that was not issued is empty; without a
    /// time, the ID token does not expire; an empty issuer is that of the identity provider. The user has only a uid
    /// until `reload` gets the profile. The result is the user.
    Q_INVOKABLE SharedAuth::Call *signInWithTokens(const QString &uid, const QString &idToken,
                                                   const QString &refreshToken, const QDateTime &expiresAt = {},
                                                   const QString &issuer = {})
    {
        return begin(shared_auth_session_sign_in_with_tokens_finish, shared_auth_session_sign_in_with_tokens_async,
                     uid.toUtf8().constData(), GLib::orNull(idToken.toUtf8()), GLib::orNull(refreshToken.toUtf8()),
                     GLib::seconds(expiresAt), GLib::orNull(issuer.toUtf8()));
    }

    /// Adds an e-mail address and a password to the current user's account, as a sign-in method. The result is the
    /// user.
    Q_INVOKABLE SharedAuth::Call *linkWithPassword(const QString &email, const QString &password)
    {
        return begin(shared_auth_session_link_with_password_finish, shared_auth_session_link_with_password_async,
                     email.toUtf8().constData(), password.toUtf8().constData());
    }

    /// Signs the current user out, in every app of the access group. It also revokes the session at the identity
    /// provider; if that fails, the user is signed out, and the call fails with `SessionNotRevoked`.
    Q_INVOKABLE SharedAuth::Call *signOut()
    {
        return begin(shared_auth_session_sign_out_finish, shared_auth_session_sign_out_async);
    }

    /// Gets a valid ID token of the current user: the present one, or a new one if that expires soon.
    Q_INVOKABLE SharedAuth::Call *getIdToken(bool forceRefresh = false)
    {
        return begin(shared_auth_session_get_id_token_finish, shared_auth_session_get_id_token_async,
                     gboolean(forceRefresh));
    }

    /// Gets a valid access token of the current user; without scopes, for those of the sign-in.
    Q_INVOKABLE SharedAuth::Call *getAccessToken(const QStringList &scopes = {}, bool forceRefresh = false)
    {
        return begin(shared_auth_session_get_access_token_finish, shared_auth_session_get_access_token_async,
                     GLib::Texts(scopes).orNull(), gboolean(forceRefresh));
    }

    /// Prompts the user to unlock the keyring. The user has two minutes.
    Q_INVOKABLE SharedAuth::Call *unlock()
    {
        return begin(shared_auth_session_unlock_finish, shared_auth_session_unlock_async);
    }

    /// Fetches the current user's profile from the identity provider, and stores it for every app of the access group.
    Q_INVOKABLE SharedAuth::Call *reload()
    {
        return begin(shared_auth_session_reload_finish, shared_auth_session_reload_async);
    }

    /// Deletes the current user's account at the identity provider, and signs the user out.
    Q_INVOKABLE SharedAuth::Call *deleteUser()
    {
        return begin(shared_auth_session_delete_user_finish, shared_auth_session_delete_user_async);
    }

    // Calls of a user that this session has returned, whether or not it is the current one. None of them makes another
    // user current.

    /// Gets a valid ID token of a user: the present one, or a new one if that expires soon.
    Q_INVOKABLE SharedAuth::Call *getIdTokenOf(const SharedAuth::User &user, bool forceRefresh = false)
    {
        return beginOfUser(user, shared_auth_user_get_id_token_finish, shared_auth_user_get_id_token_async,
                           gboolean(forceRefresh));
    }

    /// Gets a valid access token of a user; without scopes, for those of the sign-in.
    Q_INVOKABLE SharedAuth::Call *getAccessTokenOf(const SharedAuth::User &user, const QStringList &scopes = {},
                                                   bool forceRefresh = false)
    {
        return beginOfUser(user, shared_auth_user_get_access_token_finish, shared_auth_user_get_access_token_async,
                           GLib::Texts(scopes).orNull(), gboolean(forceRefresh));
    }

    /// Fetches a user's profile from the identity provider, and stores it for every app of the access group.
    Q_INVOKABLE SharedAuth::Call *reloadUser(const SharedAuth::User &user)
    {
        return beginOfUser(user, shared_auth_user_reload_finish, shared_auth_user_reload_async);
    }

    /// Signs a user out of the slot in use, in every app of the access group, as `signOut` does.
    Q_INVOKABLE SharedAuth::Call *signOutUser(const SharedAuth::User &user)
    {
        return beginOfUser(user, shared_auth_user_sign_out_finish, shared_auth_user_sign_out_async);
    }

    /// Deletes a user's account at the identity provider, and signs the user out.
    Q_INVOKABLE SharedAuth::Call *deleteAccount(const SharedAuth::User &user)
    {
        return beginOfUser(user, shared_auth_user_delete_account_finish, shared_auth_user_delete_account_async);
    }

    /// Adds an e-mail address and a password to a user's account, as a sign-in method.
    Q_INVOKABLE SharedAuth::Call *linkUserWithPassword(const SharedAuth::User &user, const QString &email,
                                                       const QString &password)
    {
        return beginOfUser(user, shared_auth_user_link_with_password_finish,
                           shared_auth_user_link_with_password_async, email.toUtf8().constData(),
                           password.toUtf8().constData());
    }

    /// The GObject; NULL before the session has started, or if it cannot start.
    virtual SharedAuthSession *object() const = 0;

protected:
    using SessionOptions::SessionOptions;

    /// Starts the session, unless it has started.
    virtual void start() = 0;

    /// The reason why the session could not start.
    virtual AuthError startFailure() const = 0;

private:
    template <typename Value, typename Start, typename... Arguments>
    Call *begin(Call::Finish<SharedAuthSession, Value> finish, Start starting, Arguments... arguments)
    {
        start();
        return object() ? beginOn(object(), finish, starting, arguments...) : failing(startFailure());
    }

    template <typename Value, typename Start>
    Call *beginWithUser(Call::Finish<SharedAuthSession, Value> finish, Start starting, const User &user)
    {
        return user.isValid() ? begin(finish, starting, user.object()) : failingWithoutUser();
    }

    /// Makes a call of a user.
    template <typename Value, typename Start, typename... Arguments>
    Call *beginOfUser(const User &user, Call::Finish<SharedAuthUser, Value> finish, Start starting,
                      Arguments... arguments)
    {
        return user.isValid() ? beginOn(user.object(), finish, starting, arguments...) : failingWithoutUser();
    }

    template <typename Object, typename Value, typename Start, typename... Arguments>
    Call *beginOn(Object *object, Call::Finish<Object, Value> finish, Start starting, Arguments... arguments)
    {
        auto *call = new Call(this);
        starting(object, arguments..., call->cancellable(), Call::returned<Object, Value>, call->pending(finish));
        return call;
    }

    Call *failingWithoutUser()
    {
        return failing({AuthError::NullUser, QStringLiteral("The call needs a user, and was given none.")});
    }

    Call *failing(const AuthError &error)
    {
        auto *call = new Call(this);
        call->fail(error);
        return call;
    }
};

} // namespace SharedAuth
