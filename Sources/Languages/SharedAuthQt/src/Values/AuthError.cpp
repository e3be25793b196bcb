#include "AuthError.h"

namespace SharedAuth {

class AuthErrorData : public QSharedData
{
public:
    AuthError::Code code;
    QString text, userMessage;
};

AuthError::AuthError() = default;
AuthError::AuthError(const AuthError &other) = default;
AuthError::AuthError(AuthError &&other) noexcept = default;
AuthError &AuthError::operator=(const AuthError &other) = default;
AuthError &AuthError::operator=(AuthError &&other) noexcept = default;
AuthError::~AuthError() = default;

AuthError::AuthError(Code code, const QString &text, const QString &userMessage)
{
    if (code == NoError)
        return;
    d = new AuthErrorData;
    d->code = code;
    d->text = text;
    d->userMessage = userMessage;
}

AuthError::Code AuthError::code() const
{
    return d ? d->code : NoError;
}

QString AuthError::text() const
{
    return d ? d->text : QString();
}

QString AuthError::userMessage() const
{
    return d && !d->userMessage.isEmpty() ? d->userMessage : text();
}

AuthError::operator bool() const
{
    return d;
}

} // namespace SharedAuth
