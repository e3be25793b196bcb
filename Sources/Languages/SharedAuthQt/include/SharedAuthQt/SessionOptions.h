#pragma once

#include "IdentityProvider.h"

#include <memory>

namespace SharedAuth {

class SessionPrivate;

/// The options of a session. They are set before it starts and cannot be changed later.
class SHAREDAUTHQT_EXPORT SessionOptions : public QObject
{
    Q_OBJECT
    Q_PROPERTY(QString appId READ appId WRITE setAppId NOTIFY optionsChanged)
    Q_PROPERTY(QString teamId READ teamId WRITE setTeamId NOTIFY optionsChanged)
    Q_PROPERTY(QString appName READ appName WRITE setAppName NOTIFY optionsChanged)
    Q_PROPERTY(QString project READ project WRITE setProject NOTIFY optionsChanged)
    Q_PROPERTY(Store store READ store WRITE setStore NOTIFY optionsChanged)
    Q_PROPERTY(QString keyFile READ keyFile WRITE setKeyFile NOTIFY optionsChanged)
    Q_PROPERTY(QStringList accessGroups READ accessGroups WRITE setAccessGroups NOTIFY optionsChanged)
    Q_PROPERTY(OwnUserPolicy ownUserPolicy READ ownUserPolicy WRITE setOwnUserPolicy NOTIFY optionsChanged)
    Q_PROPERTY(SharedAuth::IdentityProvider *identityProvider READ identityProvider WRITE setIdentityProvider NOTIFY
                   optionsChanged)
    Q_PROPERTY(bool keepsOtherUsers READ keepsOtherUsers WRITE setKeepsOtherUsers NOTIFY optionsChanged)
    Q_PROPERTY(bool refreshesTokens READ refreshesTokens WRITE setRefreshesTokens NOTIFY optionsChanged)
    Q_PROPERTY(int timeout READ timeout WRITE setTimeout NOTIFY optionsChanged)
    Q_PROPERTY(int identityTimeout READ identityTimeout WRITE setIdentityTimeout NOTIFY optionsChanged)

public:
    ~SessionOptions() override;

    /// The store of the users: the desktop's keyring, or encrypted files, whose key is in `keyFile`.
    enum Store {
        Keyring,
        EncryptedFiles,
    };
    Q_ENUM(Store)

    /// The policy for a user in the app's own slot when the session joins its `accessGroup`. It applies once, at the
    /// first start at which the group can be read.
    enum OwnUserPolicy {
        /// Sign the user out.
        Clear,
        /// Keep the user stored in the app's own slot, without showing the user.
        Keep,
        /// Move the user to the group. If another user is current there, that user is shown, and the app's own user
        /// stays stored in the own slot.
        Migrate,
    };
    Q_ENUM(OwnUserPolicy)

    /// The policy for a user who is moved to a slot in which another user is current.
    enum MigrationPolicy {
        /// Change nothing, and fail with `AccessGroupOccupied`.
        Fail,
        /// Replace the other user, who stays as a second account only if `keepsOtherUsers` is set.
        Replace,
        /// Add the user as a second account; the other user stays current, and becomes the current user of the app.
        Add,
        /// Change nothing, and succeed.
        Skip,
        /// Switch to the other user; the user who was to be moved stays stored in the slot that is left.
        Join,
    };
    Q_ENUM(MigrationPolicy)

    /// The app id in reverse DNS form. If it is empty, the first that exists of: `QGuiApplication::desktopFileName`,
    /// the Flatpak id, the environment variable `SHAREDAUTH_APP_ID`, the name of the snap. Without any, the session is
    /// `Unavailable`.
    QString appId() const;
    void setAppId(const QString &appId);

    /// The team id. If it is set, every access group must start with it or with `group.`.
    QString teamId() const;
    void setTeamId(const QString &teamId);

    /// The name that distinguishes independent sessions of one app: each name has its own slots and its own choice of
    /// access group. The name is `default` if it is empty.
    QString appName() const;
    void setAppName(const QString &appName);

    /// The project; with Firebase, the API key. Apps of different projects share nothing.
    QString project() const;
    void setProject(const QString &project);

    Store store() const;
    void setStore(Store store);

    /// The path of the file that contains the key of the encrypted files.
    QString keyFile() const;
    void setKeyFile(const QString &keyFile);

    /// The access groups that the app declares: any other group is rejected. If it is empty, any well-formed group is
    /// accepted.
    QStringList accessGroups() const;
    void setAccessGroups(const QStringList &accessGroups);

    OwnUserPolicy ownUserPolicy() const;
    void setOwnUserPolicy(OwnUserPolicy policy);

    /// The identity provider, which signs users in. Without one, stored users can be read, and users can sign in only
    /// with `signInWithTokens`.
    IdentityProvider *identityProvider() const;
    void setIdentityProvider(IdentityProvider *provider);

    /// Whether a sign-in keeps the users who are already signed in, in addition to the new current user.
    bool keepsOtherUsers() const;
    void setKeepsOtherUsers(bool keeps);

    /// Whether the current user's ID token is refreshed before it expires, once the app has requested one.
    bool refreshesTokens() const;
    void setRefreshesTokens(bool refreshes);

    /// The time limit of a call for the keyring, in milliseconds.
    int timeout() const;
    void setTimeout(int milliseconds);

    /// The time limit of a call for the identity provider, in milliseconds.
    int identityTimeout() const;
    void setIdentityTimeout(int milliseconds);

Q_SIGNALS:
    void optionsChanged();

protected:
    explicit SessionOptions(QObject *parent);

    const std::unique_ptr<SessionPrivate> d;

private:
    friend class SessionPrivate;
};

} // namespace SharedAuth
