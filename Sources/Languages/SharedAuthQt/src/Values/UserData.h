#pragma once

#include "GLib.h"
#include "User.h"

namespace SharedAuth {

/// The properties of a user as they were read, and the GObject, to which it holds a reference.
class UserData : public QSharedData
{
public:
    /// Reads a user and takes the caller's reference; NULL becomes no user.
    static User taking(SharedAuthUser *object);

    /// Reads a user and adds a reference; NULL becomes no user.
    static User reading(SharedAuthUser *object);

    /// Returns the GObject; NULL if there is no user.
    static std::shared_ptr<SharedAuthUser> object(const User &user);

private:
    friend class User;

    explicit UserData(const std::shared_ptr<SharedAuthUser> &object);

    const std::shared_ptr<SharedAuthUser> m_object;
    QString uid, issuer, providerId, email, displayName, photoUri, phoneNumber;
    bool isAnonymous, isEmailVerified;
    AuthError sessionFailure;
};

} // namespace SharedAuth
