#pragma once

#include "AuthError.h"
#include "GLib.h"

#include <QMetaType>
#include <QObject>

namespace SharedAuth {

/// The properties of a user at one time: a value that can be copied, kept, and used on any thread.
class User
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
    User() = default;

    /// Reads a user and takes the caller's reference; NULL becomes no user.
    static User taking(SharedAuthUser *object) { return User(GLib::taking(object)); }

    /// Reads a user and adds a reference; NULL becomes no user.
    static User reading(SharedAuthUser *object) { return User(GLib::sharing(object)); }

    /// Whether there is a user; otherwise all properties are empty.
    bool isValid() const { return m_object != nullptr; }

    /// The user's id, unique per issuer.
    QString uid() const { return m_uid; }

    /// The issuer of the account; empty if it is not known.
    QString issuer() const { return m_issuer; }

    /// The id of the first sign-in method, such as `password` or `google.com`; `SharedAuth` if none is known, as for
    /// anonymous users.
    QString providerId() const { return m_providerId; }

    /// The e-mail address.
    QString email() const { return m_email; }

    /// The name to display.
    QString displayName() const { return m_displayName; }

    /// The URI of the user's photo.
    QString photoUri() const { return m_photoUri; }

    /// The phone number.
    QString phoneNumber() const { return m_phoneNumber; }

    /// Whether the user is anonymous: signed in without a credential.
    bool isAnonymous() const { return m_isAnonymous; }

    /// Whether the e-mail address is verified.
    bool isEmailVerified() const { return m_isEmailVerified; }

    /// The reason why the user must sign in again, with the code `RequiresRecentLogin`; no error as long as the session
    /// works, or might. The user stays signed in, and nothing is erased.
    AuthError sessionFailure() const { return m_sessionFailure; }

    /// Whether both values describe the same account, even if other properties differ.
    Q_INVOKABLE bool isSameAccount(const SharedAuth::User &other) const
    {
        return isValid() && other.isValid() && m_uid == other.m_uid && m_issuer == other.m_issuer;
    }

    /// The GObject, to which this value holds a reference; NULL if there is no user.
    SharedAuthUser *object() const { return m_object.get(); }

private:
    explicit User(const std::shared_ptr<SharedAuthUser> &object) : m_object(object)
    {
        if (!object)
            return;
        m_uid = GLib::text(object.get(), "uid");
        m_issuer = GLib::text(object.get(), "issuer");
        m_providerId = GLib::text(object.get(), "provider-id");
        m_email = GLib::text(object.get(), "email");
        m_displayName = GLib::text(object.get(), "display-name");
        m_photoUri = GLib::text(object.get(), "photo-uri");
        m_phoneNumber = GLib::text(object.get(), "phone-number");
        m_isAnonymous = GLib::flag(object.get(), "is-anonymous");
        m_isEmailVerified = GLib::flag(object.get(), "is-email-verified");
        GError *failure = nullptr;
        g_object_get(object.get(), "session-failure", &failure, nullptr);
        m_sessionFailure = AuthError::taking(failure);
    }

    std::shared_ptr<SharedAuthUser> m_object;
    QString m_uid, m_issuer, m_providerId, m_email, m_displayName, m_photoUri, m_phoneNumber;
    bool m_isAnonymous = false;
    bool m_isEmailVerified = false;
    AuthError m_sessionFailure;
};

} // namespace SharedAuth
