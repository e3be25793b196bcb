#pragma once

#include "AuthError.h"

#include <QDateTime>

namespace SharedAuth {

/// A question to a `CustomProvider`: a value that can be copied and kept, to be answered once, now or later.
///
/// If all copies are released without an answer, the question fails as `InternalError`.
class Request
{
    Q_GADGET
    Q_PROPERTY(Kind kind READ kind CONSTANT)
    Q_PROPERTY(QString email READ email CONSTANT)
    Q_PROPERTY(QString password READ password CONSTANT)
    Q_PROPERTY(QString idToken READ idToken CONSTANT)
    Q_PROPERTY(QString refreshToken READ refreshToken CONSTANT)
    Q_PROPERTY(bool isCancelled READ isCancelled)

public:
    /// What is asked for.
    enum Kind {
        Anonymous = SHARED_AUTH_REQUEST_KIND_ANONYMOUS,
        Password = SHARED_AUTH_REQUEST_KIND_PASSWORD,
        NewAccount = SHARED_AUTH_REQUEST_KIND_NEW_ACCOUNT,
        Refresh = SHARED_AUTH_REQUEST_KIND_REFRESH,
        Profile = SHARED_AUTH_REQUEST_KIND_PROFILE,
        Revoke = SHARED_AUTH_REQUEST_KIND_REVOKE,
    };
    Q_ENUM(Kind)

    Request() = default;

    /// Reads a request that another part owns.
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

    /// The e-mail address of a sign-in with a password, or of a new account.
    QString email() const { return GLib::text(object(), "email"); }

    /// The password of such a sign-in.
    QString password() const { return GLib::text(object(), "password"); }

    /// The present ID token, in questions about a session.
    QString idToken() const { return GLib::text(object(), "id-token"); }

    /// The present refresh token, in questions about a session.
    QString refreshToken() const { return GLib::text(object(), "refresh-token"); }

    /// Whether the answer is no longer needed.
    bool isCancelled() const
    {
        GCancellable *cancellable = nullptr;
        g_object_get(object(), "cancellable", &cancellable, nullptr);
        return g_cancellable_is_cancelled(GLib::taking(cancellable).get());
    }

    /// Answers a sign-in or a refresh. Empty tokens are none.
    Q_INVOKABLE void returnTokens(const QString &uid, const QString &idToken, const QString &refreshToken,
                                  const QDateTime &expiresAt) const
    {
        shared_auth_request_return_tokens(object(), uid.toUtf8().constData(), GLib::orNull(idToken.toUtf8()),
                                          GLib::orNull(refreshToken.toUtf8()), expiresAt.toSecsSinceEpoch());
    }

    /// Answers the question for a profile.
    Q_INVOKABLE void returnProfile(const QString &uid, const QString &email, bool isEmailVerified = false,
                                   const QString &displayName = {}, const QString &photoUri = {}) const
    {
        shared_auth_request_return_profile(object(), uid.toUtf8().constData(), GLib::orNull(email.toUtf8()),
                                           isEmailVerified, GLib::orNull(displayName.toUtf8()),
                                           GLib::orNull(photoUri.toUtf8()));
    }

    /// Answers a revocation.
    Q_INVOKABLE void returnDone() const { shared_auth_request_return_done(object()); }

    /// Answers that the question failed. The text may be logged, so it has no token, password or e-mail address.
    Q_INVOKABLE void returnError(SharedAuth::AuthError::Code code, const QString &text) const
    {
        shared_auth_request_return_error(object(), static_cast<SharedAuthError>(code), text.toUtf8().constData());
    }

    /// The request's GObject, valid as long as this value.
    SharedAuthRequest *object() const { return m_object.get(); }

private:
    std::shared_ptr<SharedAuthRequest> m_object;
};

} // namespace SharedAuth
