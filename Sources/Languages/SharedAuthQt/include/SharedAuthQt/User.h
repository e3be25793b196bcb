#pragma once

#include "AuthError.h"

#include <QExplicitlySharedDataPointer>

namespace SharedAuth {

class UserData;

/// The properties of a user at one time: a value that can be copied, kept, and used on any thread.
class SHAREDAUTHQT_EXPORT User
{
    Q_GADGET
    Q_PROPERTY(bool isValid READ isValid CONSTANT)
    Q_PROPERTY(QString uid READ uid CONSTANT)
    Q_PROPERTY(QString issuer READ issuer CONSTANT)
    Q_PROPERTY(QString providerId READ providerId CONSTANT)
    Q_PROPERTY(QString email READ email CONSTANT)
    Q_PROPERTY(QString displayName READ displayName CONSTANT)
    Q_PROPERTY(QString photoUri READ photoUri CONSTANT)
    Q_PROPERTY(QString phoneNumber READ phoneNumber CONSTANT)
    Q_PROPERTY(bool isAnonymous READ isAnonymous CONSTANT)
    Q_PROPERTY(bool isEmailVerified READ isEmailVerified CONSTANT)
    Q_PROPERTY(SharedAuth::AuthError sessionFailure READ sessionFailure CONSTANT)

public:
    /// No user.
    User();
    User(const User &other);
    User(User &&other) noexcept;
    User &operator=(const User &other);
    User &operator=(User &&other) noexcept;
    ~User();

    /// Whether there is a user; otherwise all properties are empty.
    bool isValid() const;

    /// The user's id, unique per issuer.
    QString uid() const;

    /// The issuer of the account; empty if it is not known.
    QString issuer() const;

    /// The id of the first sign-in method, such as `password` or `google.com`; `SharedAuth` if none is known, as for
    /// anonymous users.
    QString providerId() const;

    /// The e-mail address.
    QString email() const;

    /// The name to display.
    QString displayName() const;

    /// The URI of the user's photo.
    QString photoUri() const;

    /// The phone number.
    QString phoneNumber() const;

    /// Whether the user is anonymous: signed in without a credential.
    bool isAnonymous() const;

    /// Whether the e-mail address is verified.
    bool isEmailVerified() const;

    /// The reason why the user must sign in again, with the code `RequiresRecentLogin`; no error as long as the session
    /// works, or might. The user stays signed in, and nothing is erased.
    AuthError sessionFailure() const;

    /// Whether both values describe the same account, even if other properties differ.
    Q_INVOKABLE bool isSameAccount(const SharedAuth::User &other) const;

private:
    friend class UserData;

    /// None if there is no user.
    QExplicitlySharedDataPointer<UserData> d;
};

} // namespace SharedAuth
