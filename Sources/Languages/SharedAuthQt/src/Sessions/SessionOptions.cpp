#include "SessionOptions.h"

#include "SessionPrivate.h"

namespace SharedAuth {

static_assert(int(SessionOptions::EncryptedFiles) == SHARED_AUTH_STORE_ENCRYPTED_FILES
              && int(SessionOptions::Keep) == SHARED_AUTH_OWN_USER_POLICY_KEEP
              && int(SessionOptions::Migrate) == SHARED_AUTH_OWN_USER_POLICY_MIGRATE
              && int(SessionOptions::Add) == SHARED_AUTH_MIGRATION_POLICY_ADD
              && int(SessionOptions::Join) == SHARED_AUTH_MIGRATION_POLICY_JOIN);

SessionOptions::SessionOptions(QObject *parent) : QObject(parent), d(new SessionPrivate(this)) {}

SessionOptions::~SessionOptions() = default;

QString SessionOptions::appId() const
{
    return d->appId;
}

void SessionOptions::setAppId(const QString &appId)
{
    d->set(d->appId, appId);
}

QString SessionOptions::teamId() const
{
    return d->teamId;
}

void SessionOptions::setTeamId(const QString &teamId)
{
    d->set(d->teamId, teamId);
}

QString SessionOptions::appName() const
{
    return d->appName;
}

void SessionOptions::setAppName(const QString &appName)
{
    d->set(d->appName, appName);
}

QString SessionOptions::project() const
{
    return d->project;
}

void SessionOptions::setProject(const QString &project)
{
    d->set(d->project, project);
}

SessionOptions::Store SessionOptions::store() const
{
    return d->store;
}

void SessionOptions::setStore(Store store)
{
    d->set(d->store, store);
}

QString SessionOptions::keyFile() const
{
    return d->keyFile;
}

void SessionOptions::setKeyFile(const QString &keyFile)
{
    d->set(d->keyFile, keyFile);
}

QStringList SessionOptions::accessGroups() const
{
    return d->accessGroups;
}

void SessionOptions::setAccessGroups(const QStringList &accessGroups)
{
    d->set(d->accessGroups, accessGroups);
}

SessionOptions::OwnUserPolicy SessionOptions::ownUserPolicy() const
{
    return d->ownUserPolicy;
}

void SessionOptions::setOwnUserPolicy(OwnUserPolicy policy)
{
    d->set(d->ownUserPolicy, policy);
}

IdentityProvider *SessionOptions::identityProvider() const
{
    return d->identityProvider;
}

void SessionOptions::setIdentityProvider(IdentityProvider *provider)
{
    d->set(d->identityProvider, QPointer(provider));
}

bool SessionOptions::keepsOtherUsers() const
{
    return d->keepsOtherUsers;
}

void SessionOptions::setKeepsOtherUsers(bool keeps)
{
    d->set(d->keepsOtherUsers, keeps);
}

bool SessionOptions::refreshesTokens() const
{
    return d->refreshesTokens;
}

void SessionOptions::setRefreshesTokens(bool refreshes)
{
    d->set(d->refreshesTokens, refreshes);
}

int SessionOptions::timeout() const
{
    return d->timeout;
}

void SessionOptions::setTimeout(int milliseconds)
{
    d->set(d->timeout, milliseconds);
}

int SessionOptions::identityTimeout() const
{
    return d->identityTimeout;
}

void SessionOptions::setIdentityTimeout(int milliseconds)
{
    d->set(d->identityTimeout, milliseconds);
}

} // namespace SharedAuth
