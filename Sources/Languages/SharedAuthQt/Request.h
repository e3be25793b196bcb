#pragma once

#include "AuthError.h"

namespace SharedAuth {

/// A request to a `CustomProvider`: a value that can be copied and kept.
///
/// Complete each request once, in the slot or later, on any thread. A request whose last copy is destroyed before that
/// fails with `InternalError`.
class Request
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
        Anonymous = SHARED_AUTH_REQUEST_KIND_ANONYMOUS,
        /// Sign in with an e-mail address and a password.
        Password = SHARED_AUTH_REQUEST_KIND_PASSWORD,
        /// Create an account with an e-mail address and a password, and sign in.
        NewAccount = SHARED_AUTH_REQUEST_KIND_NEW_ACCOUNT,
        /// Exchange the refresh token for new tokens.
        Refresh = SHARED_AUTH_REQUEST_KIND_REFRESH,
        /// Return the profile of the user that the tokens belong to.
        Profile = SHARED_AUTH_REQUEST_KIND_PROFILE,
        /// End the session of the tokens.
        Revoke = SHARED_AUTH_REQUEST_KIND_REVOKE,
    };
    Q_ENUM(Kind)

    Request() = default;

    /// Adds a reference to a request.
    static Request reading(SharedAuthRequest *object)
    {
        Request request;
        request.m_object = GLib::sharing(object);
        return request;
    }

    Kind kind() const
    {
        SharedAuthRequestKind kind = SHARED_AUTH_REQUEST_KIND_ANONYMOUS;
        g_object_get(object(), "kind", &kind, nullptr);
        return static_cast<Kind>(kind);
    }

    /// The e-mail address; empty unless the kind is `Password` or `NewAccount`.
    QString email() const { return GLib::text(object(), "email"); }

    /// The password; empty unless the kind is `Password` or `NewAccount`.
    QString password() const { return GLib::text(object(), "password"); }

    /// The present ID token of a refresh, profile or revocation request.
    QString idToken() const { return GLib::text(object(), "id-token"); }

    /// The present refresh token of a refresh, profile or revocation request.
    QString refreshToken() const { return GLib::text(object(), "refresh-token"); }

    /// The scopes for which a refresh request needs an access token; empty for those of the sign-in.
    QStringList scopes() const { return GLib::texts(object(), "scopes"); }

    /// Whether the call that needs the response was cancelled.
    bool isCancelled() const
    {
        GCancellable *cancellable = nullptr;
        g_object_get(object(), "cancellable", &cancellable, nullptr);
        return g_cancellable_is_cancelled(GLib::taking(cancellable).get());
    }

    /// Adds an access token to the tokens that a sign-in or refresh request is then completed with: one for each call,
    /// first the one for the scopes of the sign-in. Without scopes, it is for those of the request; without a time, it
    /// does not expire.
    Q_INVOKABLE void addAccessToken(const QString &token, const QStringList &scopes = {},
                                    const QDateTime &expiresAt = {}) const
    {
        shared_auth_request_add_access_token(object(), token.toUtf8().constData(), GLib::Texts(scopes).orNull(),
                                             GLib::seconds(expiresAt));
    }

    /// Completes a sign-in or refresh request. A token that the server does not issue is empty. Without a time, the ID
    /// token does not expire.
    Q_INVOKABLE void returnTokens(const QString &uid, const QString &idToken, const QString &refreshToken,
                                  const QDateTime &expiresAt = {}) const
    {
        shared_auth_request_return_tokens(object(), uid.toUtf8().constData(), GLib::orNull(idToken.toUtf8()),
                                          GLib::orNull(refreshToken.toUtf8()), GLib::seconds(expiresAt));
    }

    /// Completes a profile request. The uid is that of the tokens.
    Q_INVOKABLE void returnProfile(const QString &uid, const QString &email, bool isEmailVerified = false,
                                   const QString &displayName = {}, const QString &photoUri = {}) const
    {
        shared_auth_request_return_profile(object(), uid.toUtf8().constData(), GLib::orNull(email.toUtf8()),
                                           isEmailVerified, GLib::orNull(displayName.toUtf8()),
                                           GLib::orNull(photoUri.toUtf8()));
    }

    /// Completes a revocation request.
    Q_INVOKABLE void returnDone() const { shared_auth_request_return_done(object()); }

    /// Completes a request with an error. The text says what failed. It may be logged, so it must not contain a token,
    /// password or e-mail address.
    Q_INVOKABLE void returnError(SharedAuth::AuthError::Code code, const QString &text) const
    {
        shared_auth_request_return_error(object(), static_cast<SharedAuthError>(code), text.toUtf8().constData());
    }

    /// The GObject, to which this value holds a reference.
    SharedAuthRequest *object() const { return m_object.get(); }

private:
    std::shared_ptr<SharedAuthRequest> m_object;
};

} // namespace SharedAuth
