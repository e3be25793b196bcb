#include "Session.h"

#include "SessionPrivate.h"

namespace SharedAuth {

Session::Session(QObject *parent) : SessionOptions(parent)
{
    d->accounts = new Accounts(this);
    QMetaObject::invokeMethod(
        this,
        [this] {
            if (!d->isHeld)
                start();
        },
        Qt::QueuedConnection);
}

Session::~Session()
{
    d->end();
}

Session::State Session::state() const
{
    return d->now.state;
}

User Session::user() const
{
    return d->now.user;
}

QString Session::accessGroup() const
{
    return d->object() ? d->now.accessGroup : d->accessGroup;
}

void Session::setAccessGroup(const QString &accessGroup)
{
    // A slot of the first signal may delete the session.
    const QPointer<Session> self(this);
    if (d->set(d->accessGroup, accessGroup) && self)
        Q_EMIT accessGroupChanged();
}

QString Session::userIssuer() const
{
    return d->now.userIssuer;
}

Accounts *Session::accounts() const
{
    return d->accounts;
}

AuthError Session::error() const
{
    return d->now.error;
}

AuthError Session::saveError() const
{
    return d->now.saveError;
}

void Session::close()
{
    d->close();
}

void Session::hold()
{
    d->isHeld = true;
}

void Session::start()
{
    d->start();
}

void Session::connectNotify(const QMetaMethod &)
{
    // It may be called on any thread.
    QMetaObject::invokeMethod(this, [this] { d->updateOpening(); });
}

AuthError Session::handleRedirect(const QString &address)
{
    return d->handle(shared_auth_session_handle_redirect, address.toUtf8());
}

AuthError Session::handleUri(const QUrl &uri)
{
    return d->handle(shared_auth_session_handle_uri, uri.toEncoded());
}

} // namespace SharedAuth
