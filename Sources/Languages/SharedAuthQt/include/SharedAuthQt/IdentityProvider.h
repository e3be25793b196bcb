#pragma once

#include "Request.h"

#include <QObject>

#include <memory>

namespace SharedAuth {

class IdentityProviderPrivate;

/// The base class of the identity providers, which sign users in.
///
/// Set its properties before the sessions that use it start, and destroy it after that.
class SHAREDAUTHQT_EXPORT IdentityProvider : public QObject
{
    Q_OBJECT

public:
    ~IdentityProvider() override;

Q_SIGNALS:
    /// Emitted when a property has changed.
    void changed();

protected:
    IdentityProvider(IdentityProviderPrivate *data, QObject *parent);

    const std::unique_ptr<IdentityProviderPrivate> d;

private:
    friend class IdentityProviderPrivate;
};

/// Signs users in without a server. The accounts are kept in the store of the session; all apps of the project share
/// them.
class SHAREDAUTHQT_EXPORT LocalProvider : public SharedAuth::IdentityProvider
{
    Q_OBJECT

public:
    explicit LocalProvider(QObject *parent = nullptr);
    ~LocalProvider() override;
};

/// Signs users in at the app's own server. Each signal passes a request, on the thread on which the provider lives.
///
/// A sign-in or a refresh is refused if its signal is not connected. Without `profile`, a user has only a uid; without
/// `revoke`, a sign-out does not revoke the session.
class SHAREDAUTHQT_EXPORT CustomProvider : public SharedAuth::IdentityProvider
{
    Q_OBJECT
    Q_PROPERTY(QString issuer READ issuer WRITE setIssuer NOTIFY changed)

public:
    explicit CustomProvider(QObject *parent = nullptr);
    ~CustomProvider() override;

    /// The issuer of the accounts, such as the address of the server.
    QString issuer() const;
    void setIssuer(const QString &issuer);

Q_SIGNALS:
    /// Requests the tokens of a user who signs in as the kind of the request says.
    void signIn(const SharedAuth::Request &request);

    /// Requests new tokens. If several processes share the user, only one of them emits it.
    void refresh(const SharedAuth::Request &request);

    /// Requests the user's profile.
    void profile(const SharedAuth::Request &request);

    /// Requests the end of a session.
    void revoke(const SharedAuth::Request &request);

protected:
    void connectNotify(const QMetaMethod &signal) override;
};

} // namespace SharedAuth
