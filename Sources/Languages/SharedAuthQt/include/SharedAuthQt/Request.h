#pragma once

#include "AuthError.h"

#include <QDateTime>
#include <QExplicitlySharedDataPointer>
#include <QStringList>

namespace SharedAuth {

class RequestData;

/// A request to a `CustomProvider`: a value that can be copied and kept.
///
/// Complete each request once, in the slot or later, on any thread. A request whose last copy is destroyed before that
/// fails with `InternalError`.
class SHAREDAUTHQT_EXPORT Request
{
    Q_GADGET
    Q_PROPERTY(Kind kind READ kind CONSTANT)
    Q_PROPERTY(QString email READ email CONSTANT)
    Q_PROPERTY(QString password READ password CONSTANT)
    Q_PROPERTY(QString idToken READ idToken CONSTANT)
    Q_PROPERTY(QString refreshToken READ refreshToken CONSTANT)
    Q_PROPERTY(QStringList scopes READ scopes CONSTANT)
    Q_PROPERTY(bool isCancelled READ isCancelled)

public:
    /// The kind of a request.
    enum Kind {
        /// Sign in an anonymous user.
        Anonymous,
        /// Sign in with an e-mail address and a password.
        Password,
        /// Create an account with an e-mail address and a password, and sign in.
        NewAccount,
        /// Exchange the refresh token for new tokens.
        Refresh,
        /// Return the profile of the user that the tokens belong to.
        Profile,
        /// End the session of the tokens.
        Revoke,
    };
    Q_ENUM(Kind)

    Request();
    Request(const Request &other);
    Request(Request &&other) noexcept;
    Request &operator=(const Request &other);
    Request &operator=(Request &&other) noexcept;
    ~Request();

    Kind kind() const;

    /// The e-mail address; empty unless the kind is `Password` or `NewAccount`.
    QString email() const;

    /// The password; empty unless the kind is `Password` or `NewAccount`.
    QString password() const;

    /// The present ID token of a refresh, profile or revocation request.
    QString idToken() const;

    /// The present refresh token of a refresh, profile or revocation request.
    QString refreshToken() const;

    /// The scopes for which a refresh request needs an access token; empty for those of the sign-in.
    QStringList scopes() const;

    /// Whether the call that needs the response was cancelled.
    bool isCancelled() const;

    /// Adds an access token to the tokens that a sign-in or refresh request is then completed with: one for each call,
    /// first the one for the scopes of the sign-in. Without scopes, it is for those of the request; without a time, it
    /// does not expire.
    Q_INVOKABLE void addAccessToken(const QString &token, const QStringList &scopes = {},
                                    const QDateTime &expiresAt = {}) const;

    /// Completes a sign-in or refresh request. A token that the server does not issue is empty. Without a time, the ID
    /// token does not expire.
    Q_INVOKABLE void returnTokens(const QString &uid, const QString &idToken, const QString &refreshToken,
                                  const QDateTime &expiresAt = {}) const;

    /// Completes a profile request. The uid is that of the tokens.
    Q_INVOKABLE void returnProfile(const QString &uid, const QString &email, bool isEmailVerified = false,
                                   const QString &displayName = {}, const QString &photoUri = {}) const;

    /// Completes a revocation request.
    Q_INVOKABLE void returnDone() const;

    /// Completes a request with an error. The text says what failed. It may be logged, so it must not contain a token,
    /// password or e-mail address.
    Q_INVOKABLE void returnError(SharedAuth::AuthError::Code code, const QString &text) const;

private:
    friend class RequestData;

    QExplicitlySharedDataPointer<RequestData> d;
};

} // namespace SharedAuth
