#include "UserData.h"

namespace SharedAuth {

UserData::UserData(const std::shared_ptr<SharedAuthUser> &object)
    : m_object(object),
      uid(GLib::text(object.get(), "uid")),
      issuer(GLib::text(object.get(), "issuer")),
      providerId(GLib::text(object.get(), "provider-id")),
      email(GLib::text(object.get(), "email")),
      displayName(GLib::text(object.get(), "display-name")),
      photoUri(GLib::text(object.get(), "photo-uri")),
      phoneNumber(GLib::text(object.get(), "phone-number")),
      isAnonymous(GLib::flag(object.get(), "is-anonymous")),
      isEmailVerified(GLib::flag(object.get(), "is-email-verified"))
{
    GError *failure = nullptr;
    g_object_get(object.get(), "session-failure", &failure, nullptr);
    sessionFailure = GLib::takingError(failure);
}

User UserData::taking(SharedAuthUser *object)
{
    User user;
    if (object)
        user.d = new UserData(GLib::taking(object));
    return user;
}

User UserData::reading(SharedAuthUser *object)
{
    return object ? taking(static_cast<SharedAuthUser *>(g_object_ref(object))) : User();
}

std::shared_ptr<SharedAuthUser> UserData::object(const User &user)
{
    return user.d ? user.d->m_object : nullptr;
}

User::User() = default;
User::User(const User &other) = default;
User::User(User &&other) noexcept = default;
User &User::operator=(const User &other) = default;
User &User::operator=(User &&other) noexcept = default;
User::~User() = default;

bool User::isValid() const
{
    return d;
}

QString User::uid() const
{
    return d ? d->uid : QString();
}

QString User::issuer() const
{
    return d ? d->issuer : QString();
}

QString User::providerId() const
{
    return d ? d->providerId : QString();
}

QString User::email() const
{
    return d ? d->email : QString();
}

QString User::displayName() const
{
    return d ? d->displayName : QString();
}

QString User::photoUri() const
{
    return d ? d->photoUri : QString();
}

QString User::phoneNumber() const
{
    return d ? d->phoneNumber : QString();
}

bool User::isAnonymous() const
{
    return d && d->isAnonymous;
}

bool User::isEmailVerified() const
{
    return d && d->isEmailVerified;
}

AuthError User::sessionFailure() const
{
    return d ? d->sessionFailure : AuthError();
}

bool User::isSameAccount(const User &other) const
{
    return d && other.d && d->uid == other.d->uid && d->issuer == other.d->issuer;
}

} // namespace SharedAuth
