#pragma once

#include <SharedAuthQt/SharedAuthQt.h>

#include <qqml.h>

/// The types of the library as they are named in QML. Tools find a base class by the name that its header has for it.
namespace SharedAuth::Qml {

struct UserValue
{
    Q_GADGET
    QML_FOREIGN(SharedAuth::User)
    QML_VALUE_TYPE(user)
};

struct ErrorValue
{
    Q_GADGET
    QML_FOREIGN(SharedAuth::AuthError)
    QML_VALUE_TYPE(authError)
};

struct RequestValue
{
    Q_GADGET
    QML_FOREIGN(SharedAuth::Request)
    QML_VALUE_TYPE(request)
};

// The values of their enumerations.

class ErrorCodes : public QObject
{
    Q_OBJECT
    QML_NAMED_ELEMENT(AuthError)
    QML_UNCREATABLE("It has values only.")
    QML_EXTENDED_NAMESPACE(SharedAuth::AuthError)
};

class RequestKinds : public QObject
{
    Q_OBJECT
    QML_NAMED_ELEMENT(Request)
    QML_UNCREATABLE("It has values only.")
    QML_EXTENDED_NAMESPACE(SharedAuth::Request)
};

struct LocalProviderElement
{
    Q_GADGET
    QML_FOREIGN(SharedAuth::LocalProvider)
    QML_NAMED_ELEMENT(LocalProvider)
};

struct OpenIdProviderElement
{
    Q_GADGET
    QML_FOREIGN(SharedAuth::OpenIdProvider)
    QML_NAMED_ELEMENT(OpenIdProvider)
};

struct OAuthProviderElement
{
    Q_GADGET
    QML_FOREIGN(SharedAuth::OAuthProvider)
    QML_NAMED_ELEMENT(OAuthProvider)
};

struct FirebaseProviderElement
{
    Q_GADGET
    QML_FOREIGN(SharedAuth::FirebaseProvider)
    QML_NAMED_ELEMENT(FirebaseProvider)
};

struct CustomProviderElement
{
    Q_GADGET
    QML_FOREIGN(SharedAuth::CustomProvider)
    QML_NAMED_ELEMENT(CustomProvider)
};

struct IdentityProviderType
{
    Q_GADGET
    QML_FOREIGN(SharedAuth::IdentityProvider)
    QML_NAMED_ELEMENT(IdentityProvider)
    QML_UNCREATABLE("It cannot be created in QML.")
};

struct AccountsType
{
    Q_GADGET
    QML_FOREIGN(SharedAuth::Accounts)
    QML_NAMED_ELEMENT(Accounts)
    QML_UNCREATABLE("It cannot be created in QML.")
};

struct SessionOptionsBase
{
    Q_GADGET
    QML_FOREIGN(SharedAuth::SessionOptions)
    QML_ANONYMOUS
};

struct BrowserPagesBase
{
    Q_GADGET
    QML_FOREIGN(SharedAuth::BrowserPages)
    QML_ANONYMOUS
};

struct BrowserProviderBase
{
    Q_GADGET
    QML_FOREIGN(SharedAuth::BrowserProvider)
    QML_ANONYMOUS
};

struct SessionBase
{
    Q_GADGET
    QML_FOREIGN(SharedAuth::Session)
    QML_ANONYMOUS
};

} // namespace SharedAuth::Qml
