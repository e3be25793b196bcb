#pragma once

#include "Accounts.h"
#include "Result.h"
#include "SessionOptions.h"

#include <QUrl>

namespace SharedAuth {

/// The sign-in state of an app, which all apps of its access group share. An app that shares its users sets
/// `accessGroup`; one that uses no access group keeps its users in its own slot.
///
/// Creating a session does not block: it starts when the event loop runs, or with the first call. From then on, it
/// lives on that thread, which needs an event loop of Qt, of any kind.
class SHAREDAUTHQT_EXPORT Session : public SharedAuth::SessionOptions
{
    Q_OBJECT
    Q_PROPERTY(State state READ state NOTIFY stateChanged)
    Q_PROPERTY(SharedAuth::User user READ user NOTIFY userChanged)
    Q_PROPERTY(QString accessGroup READ accessGroup WRITE setAccessGroup NOTIFY accessGroupChanged)
    Q_PROPERTY(QString userIssuer READ userIssuer NOTIFY stateChanged)
    Q_PROPERTY(SharedAuth::Accounts *accounts READ accounts CONSTANT)
    Q_PROPERTY(SharedAuth::AuthError error READ error NOTIFY errorChanged)
    Q_PROPERTY(SharedAuth::AuthError saveError READ saveError NOTIFY saveErrorChanged)

public:
    /// The state of the current user. Only `SignedOut` means that no user is signed in.
    enum State {
        /// The stored user has not been read yet.
        Unknown,
        SignedIn,
        SignedOut,
        /// The keyring is locked; see `unlock`.
        Locked,
        /// The keyring cannot be reached, or an option is invalid; `error` describes the reason.
        Unavailable,
        /// The stored record cannot be read; `error` describes the reason. The next sign-in or sign-out sets a damaged
        /// record aside.
        Damaged,
    };
    Q_ENUM(State)

    explicit Session(QObject *parent = nullptr);
    ~Session() override;

    // All properties have their new values before the signal of the first one is emitted.

    State state() const;

    /// The current user; no user unless the state is `SignedIn`.
    User user() const;

    /// The access group in use; empty for the app's own slot.
    ///
    /// Set before the session starts, it is an option: the session uses the group from its first read on, and never
    /// shows the app's own slot meanwhile. It takes precedence over a stored choice of another group, and is stored
    /// instead of it. With a group that is malformed or not declared, the session is `Unavailable`.
    QString accessGroup() const;
    void setAccessGroup(const QString &accessGroup);

    /// The `issuer` of the users who sign in with the identity provider; empty before the session has started, without
    /// an identity provider, and after `close`. That of an OpenID provider is its issuer with the client id.
    QString userIssuer() const;

    /// The users of the slot in use.
    Accounts *accounts() const;

    /// The reason for the states `Locked`, `Unavailable` and `Damaged`; otherwise no error.
    AuthError error() const;

    /// The error that keeps changes from being saved; no error if none is known. The keyring can be locked while a user
    /// is signed in: offer `unlock()` then, too.
    AuthError saveError() const;

    /// Ends the session, as deleting it does: it no longer watches the keyring, and drops its identity provider. Calls
    /// in progress are stopped; they and all later ones fail with `AppDeleted`, which is also the `error` of the state
    /// `Unavailable` then. Nobody is signed out. Sessions of the app can then be created with other options.
    Q_INVOKABLE void close();

    // Calls. Each returns a future, which is finished on the thread of the session, and always: with a value, with an
    // error, or cancelled. Cancelling the future cancels the call, which may still succeed; a cancelled future has no
    // result. If the session is deleted, its calls are cancelled, and their futures are finished with `AppDeleted`. An
    // empty access group is the app's own slot.

    /// Waits until the current user is known. The value is that user, or no user.
    Future<User> load();

    /// Switches to an access group, or to the app's own slot. The user who is stored there becomes current. Switching
    /// from the app's own slot to a group deletes the user of the own slot; `migrate` moves that user.
    Future<void> useAccessGroup(const QString &accessGroup);

    /// Gets the user stored in an access group, without switching to it. The value is that user, or no user.
    Future<User> getStoredUser(const QString &accessGroup);

    /// Makes a user current, and stores the user in the slot in use.
    Future<void> updateCurrentUser(const User &user);

    /// Moves the current user to an access group, and switches to it. At every moment, the user is stored.
    Future<void> migrate(const QString &accessGroup, MigrationPolicy policy = Fail);

    /// Makes another of the `accounts` current, in every app of the access group.
    Future<void> switchAccount(const User &user);

    /// Signs in anonymously. If the current user is already anonymous, that user stays current.
    Future<User> signInAnonymously();

    /// Signs in with an e-mail address and a password.
    Future<User> signInWithPassword(const QString &email, const QString &password);

    /// Creates an account with an e-mail address and a password, and signs in.
    Future<User> createUser(const QString &email, const QString &password);

    /// Lets the user sign in in the browser, within five minutes. With Firebase, the id is that of a service, such as
    /// `google.com`.
    Future<User> signInWithBrowser(const QString &providerId = {});

    /// Passes on the redirect of a running `signInWithBrowser` by hand, e.g. because the browser is on another machine:
    /// the whole address of the last page, which could not be opened there. After an error, the sign-in goes on
    /// waiting.
    Q_INVOKABLE SharedAuth::AuthError handleRedirect(const QString &address);

    /// Passes on an address of the app's own scheme, with which the desktop has opened the app at the end of a running
    /// `signInWithBrowser`: the identity provider has it as its `redirectUri`. The sign-in goes on waiting after an
    /// error, which every other address gives.
    Q_INVOKABLE SharedAuth::AuthError handleUri(const QUrl &uri);

    /// Lets the user sign in with a code, in a browser on any device, within five minutes. `deviceCode` passes the code
    /// to show.
    Future<User> signInWithDeviceCode();

    /// Signs in a user with tokens that the app has obtained itself. A token that was not issued is empty; without a
    /// time, the ID token does not expire; an empty issuer is that of the identity provider. The user has only a uid
    /// until `reload` gets the profile.
    Future<User> signInWithTokens(const QString &uid, const QString &idToken, const QString &refreshToken,
                                  const QDateTime &expiresAt = {}, const QString &issuer = {});

    /// Adds an e-mail address and a password to the current user's account, as a sign-in method.
    Future<User> linkWithPassword(const QString &email, const QString &password);

    /// Signs the current user out, in every app of the access group. It also revokes the session at the identity
    /// provider; if that fails, the user is signed out, and the call fails with `SessionNotRevoked`.
    Future<void> signOut();

    /// Gets a valid ID token of the current user: the present one, or a new one if that expires soon.
    Future<QString> getIdToken(bool forceRefresh = false);

    /// Gets a valid access token of the current user; without scopes, for those of the sign-in.
    Future<QString> getAccessToken(const QStringList &scopes = {}, bool forceRefresh = false);

    /// Prompts the user to unlock the keyring. The user has two minutes.
    Future<void> unlock();

    /// Fetches the current user's profile from the identity provider, and stores it for every app of the access group.
    Future<void> reload();

    /// Deletes the current user's account at the identity provider, and signs the user out.
    Future<void> deleteUser();

    // Calls of a user that this session has returned, whether or not it is the current one. None of them makes another
    // user current.

    /// Gets a valid ID token of a user: the present one, or a new one if that expires soon.
    Future<QString> getIdTokenOf(const User &user, bool forceRefresh = false);

    /// Gets a valid access token of a user; without scopes, for those of the sign-in.
    Future<QString> getAccessTokenOf(const User &user, const QStringList &scopes = {}, bool forceRefresh = false);

    /// Fetches a user's profile from the identity provider, and stores it for every app of the access group.
    Future<void> reloadUser(const User &user);

    /// Signs a user out of the slot in use, in every app of the access group, as `signOut` does.
    Future<void> signOutUser(const User &user);

    /// Deletes a user's account at the identity provider, and signs the user out.
    Future<void> deleteAccount(const User &user);

    /// Adds an e-mail address and a password to a user's account, as a sign-in method.
    Future<void> linkUserWithPassword(const User &user, const QString &email, const QString &password);

Q_SIGNALS:
    void stateChanged();
    /// Emitted when another user or no user becomes current, and when properties of the current user change.
    void userChanged();
    void accessGroupChanged();
    void errorChanged();
    void saveErrorChanged();

    /// Emitted when the current user is first known, and when another user or no user becomes current: once for each
    /// change, in order, and after the signals of the properties.
    void announced(const SharedAuth::User &user);

    /// Emitted with the address of a sign-in page, to open it. If it is not connected, the desktop's default browser
    /// opens the address.
    void openAddress(const QUrl &address);

    /// Emitted in a sign-in with a device code, with the code to show, the address of the page to enter it in, and the
    /// address of that page with the code filled in, which may be empty.
    void deviceCode(const QString &code, const QString &address, const QString &completeAddress);

protected:
    /// Keeps the session from starting before a call, or `start`.
    void hold();

    /// Starts the session, unless it has started.
    void start();

    void connectNotify(const QMetaMethod &signal) override;

private:
    friend class SessionPrivate;
};

} // namespace SharedAuth
