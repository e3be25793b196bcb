#include "RequestData.h"

namespace SharedAuth {

static_assert(int(Request::Anonymous) == SHARED_AUTH_REQUEST_KIND_ANONYMOUS
              && int(Request::NewAccount) == SHARED_AUTH_REQUEST_KIND_NEW_ACCOUNT
              && int(Request::Revoke) == SHARED_AUTH_REQUEST_KIND_REVOKE);

Request::Request() = default;
Request::Request(const Request &other) = default;
Request::Request(Request &&other) noexcept = default;
Request &Request::operator=(const Request &other) = default;
Request &Request::operator=(Request &&other) noexcept = default;
Request::~Request() = default;

Request::Kind Request::kind() const
{
    SharedAuthRequestKind kind = SHARED_AUTH_REQUEST_KIND_ANONYMOUS;
    if (d)
        g_object_get(d->m_object.get(), "kind", &kind, nullptr);
    return static_cast<Kind>(kind);
}

QString Request::email() const
{
    return d ? GLib::text(d->m_object.get(), "email") : QString();
}

QString Request::password() const
{
    return d ? GLib::text(d->m_object.get(), "password") : QString();
}

QString Request::idToken() const
{
    return d ? GLib::text(d->m_object.get(), "id-token") : QString();
}

QString Request::refreshToken() const
{
    return d ? GLib::text(d->m_object.get(), "refresh-token") : QString();
}

QStringList Request::scopes() const
{
    return d ? GLib::texts(d->m_object.get(), "scopes") : QStringList();
}

bool Request::isCancelled() const
{
    if (!d)
        return false;
    GCancellable *cancellable = nullptr;
    g_object_get(d->m_object.get(), "cancellable", &cancellable, nullptr);
    return g_cancellable_is_cancelled(GLib::taking(cancellable).get());
}

void Request::addAccessToken(const QString &token, const QStringList &scopes, const QDateTime &expiresAt) const
{
    if (d)
        shared_auth_request_add_access_token(d->m_object.get(), token.toUtf8().constData(),
                                             GLib::Texts(scopes).orNull(), GLib::seconds(expiresAt));
}

void Request::returnTokens(const QString &uid, const QString &idToken, const QString &refreshToken,
                           const QDateTime &expiresAt) const
{
    if (d)
        shared_auth_request_return_tokens(d->m_object.get(), uid.toUtf8().constData(), GLib::orNull(idToken.toUtf8()),
                                          GLib::orNull(refreshToken.toUtf8()), GLib::seconds(expiresAt));
}

void Request::returnProfile(const QString &uid, const QString &email, bool isEmailVerified,
                            const QString &displayName, const QString &photoUri) const
{
    if (d)
        shared_auth_request_return_profile(d->m_object.get(), uid.toUtf8().constData(), GLib::orNull(email.toUtf8()),
                                           isEmailVerified, GLib::orNull(displayName.toUtf8()),
                                           GLib::orNull(photoUri.toUtf8()));
}

void Request::returnDone() const
{
    if (d)
        shared_auth_request_return_done(d->m_object.get());
}

void Request::returnError(AuthError::Code code, const QString &text) const
{
    if (d)
        shared_auth_request_return_error(d->m_object.get(), static_cast<SharedAuthError>(code),
                                         text.toUtf8().constData());
}

} // namespace SharedAuth
