#pragma once

#include "BrowserProviders.h"

#include <QCoreApplication>
#include <QPointer>
#include <QVariant>

namespace SharedAuth {

/// The options of a session. They are set before it starts and cannot be changed later.
class SessionOptions : public QObject
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
    /// The store of the users: the desktop's keyring, or encrypted files, whose key is in `keyFile`.
    enum Store {
        Keyring = SHARED_AUTH_STORE_KEYRING,
        EncryptedFiles = SHARED_AUTH_STORE_ENCRYPTED_FILES,
    };
    Q_ENUM(Store)

    /// The policy for a user in the app's own slot when the session joins its `accessGroup`. It applies once, at the
    /// first start at which the group can be read.
    enum OwnUserPolicy {
        /// Sign the user out.
        Clear = SHARED_AUTH_OWN_USER_POLICY_CLEAR,
        /// Keep the user stored in the app's own slot, without showing the user.
        Keep = SHARED_AUTH_OWN_USER_POLICY_KEEP,
        /// Move the user to the group. If another user is current there, that user is shown, and the app's own user
        /// stays stored in the own slot.
        Migrate = SHARED_AUTH_OWN_USER_POLICY_MIGRATE,
    };
    Q_ENUM(OwnUserPolicy)

    /// The policy for a user who is moved to a slot in which another user is current.
    enum MigrationPolicy {
        /// Change nothing, and fail with `AccessGroupOccupied`.
        Fail = SHARED_AUTH_MIGRATION_POLICY_FAIL,
        /// Replace the other user, who stays as a second account only if `keepsOtherUsers` is set.
        Replace = SHARED_AUTH_MIGRATION_POLICY_REPLACE,
        /// Add the user as a second account; the other user stays current, and becomes the current user of the app.
        Add = SHARED_AUTH_MIGRATION_POLICY_ADD,
        /// Change nothing, and succeed.
        Skip = SHARED_AUTH_MIGRATION_POLICY_SKIP,
        /// Switch to the other user; the user who was to be moved stays stored in the slot that is left.
        Join = SHARED_AUTH_MIGRATION_POLICY_JOIN,
    };
    Q_ENUM(MigrationPolicy)

    /// The app id in reverse DNS form. If it is empty, the first that exists of: `QGuiApplication::desktopFileName`,
    /// the Flatpak id, the environment variable `SHAREDAUTH_APP_ID`, the name of the snap. Without any, the session is
    /// `Unavailable`.
    QString appId() const { return m_appId; }
    void setAppId(const QString &appId) { set(m_appId, appId); }

    /// The team id. If it is set, every access group must start with it or with `group.`.
    QString teamId() const { return m_teamId; }
    void setTeamId(const QString &teamId) { set(m_teamId, teamId); }

    /// The name that distinguishes independent sessions of one app: each name has its own slots and its own choice of
    /// access group. The name is `default` if it is empty.
    QString appName() const { return m_appName; }
    void setAppName(const QString &appName) { set(m_appName, appName); }

    /// The project; with Firebase, the API key. Apps of different projects share nothing.
    QString project() const { return m_project; }
    void setProject(const QString &project) { set(m_project, project); }

    Store store() const { return m_store; }
    void setStore(Store store) { set(m_store, store); }

    /// The path of the file that contains the key of the encrypted files.
    QString keyFile() const { return m_keyFile; }
    void setKeyFile(const QString &keyFile) { set(m_keyFile, keyFile); }

    /// The access groups that the app declares: any other group is rejected. If it is empty, any well-formed group is
    /// accepted.
    QStringList accessGroups() const { return m_accessGroups; }
    void setAccessGroups(const QStringList &accessGroups) { set(m_accessGroups, accessGroups); }

    OwnUserPolicy ownUserPolicy() const { return m_ownUserPolicy; }
    void setOwnUserPolicy(OwnUserPolicy policy) { set(m_ownUserPolicy, policy); }

    /// The identity provider, which signs users in. Without one, stored users can be read, and users can sign in only
    /// with `signInWithTokens`.
    IdentityProvider *identityProvider() const { return m_identityProvider; }
    void setIdentityProvider(IdentityProvider *provider) { set(m_identityProvider, QPointer(provider)); }

    /// Whether a sign-in keeps the users who are already signed in, in addition to the new current user.
    bool keepsOtherUsers() const { return m_keepsOtherUsers; }
    void setKeepsOtherUsers(bool keeps) { set(m_keepsOtherUsers, keeps); }

    /// Whether the current user's ID token is refreshed before it expires, once the app has requested one.
    bool refreshesTokens() const { return m_refreshesTokens; }
    void setRefreshesTokens(bool refreshes) { set(m_refreshesTokens, refreshes); }

    /// The time limit of a call for the keyring, in milliseconds.
    int timeout() const { return m_timeout; }
    void setTimeout(int milliseconds) { set(m_timeout, milliseconds); }

    /// The time limit of a call for the identity provider, in milliseconds.
    int identityTimeout() const { return m_identityTimeout; }
    void setIdentityTimeout(int milliseconds) { set(m_identityTimeout, milliseconds); }

Q_SIGNALS:
    void optionsChanged();

protected:
    using QObject::QObject;

    /// Whether the session has started.
    virtual bool hasStarted() const = 0;

    /// Creates the GObject of a session with the present options.
    std::shared_ptr<SharedAuthSession> makeSession() const
    {
        // A property of QGuiApplication, to which a program without windows is not linked.
        const QVariant desktopFile = QCoreApplication::instance()->property("desktopFileName");
        const QString appId = m_appId.isEmpty() ? desktopFile.toString() : m_appId;
        SharedAuthIdentityProvider *provider = m_identityProvider ? m_identityProvider->object() : nullptr;
        return GLib::taking(static_cast<SharedAuthSession *>(g_object_new(
            SHARED_AUTH_TYPE_SESSION, "app-id", GLib::orNull(appId.toUtf8()), "team-id",
            GLib::orNull(m_teamId.toUtf8()), "app-name", GLib::orNull(m_appName.toUtf8()), "project",
            GLib::orNull(m_project.toUtf8()), "store", int(m_store), "key-file", GLib::orNull(m_keyFile.toUtf8()),
            "access-groups", GLib::Texts(m_accessGroups).orNull(), "access-group",
            GLib::orNull(m_accessGroup.toUtf8()), "own-user-policy", int(m_ownUserPolicy), "identity-provider",
            provider, "keeps-other-users", gboolean(m_keepsOtherUsers), "refreshes-tokens",
            gboolean(m_refreshesTokens), "timeout", guint(m_timeout), "identity-timeout", guint(m_identityTimeout),
            nullptr)));
    }

    /// The access group that the session uses from its first read on; empty for the choice that was stored last.
    QString chosenAccessGroup() const { return m_accessGroup; }

    /// Returns whether the access group has changed.
    bool chooseAccessGroup(const QString &accessGroup) { return set(m_accessGroup, accessGroup); }

private:
    /// Returns whether the option has changed.
    template <typename Value>
    bool set(Value &option, const Value &value)
    {
        if (option == value)
            return false;
        if (hasStarted()) {
            qWarning("SharedAuth: The options of a session cannot be changed after it has started.");
            return false;
        }
        option = value;
        Q_EMIT optionsChanged();
        return true;
    }

    QString m_appId, m_teamId, m_appName, m_project, m_keyFile, m_accessGroup;
    QStringList m_accessGroups;
    QPointer<IdentityProvider> m_identityProvider;
    Store m_store = Keyring;
    OwnUserPolicy m_ownUserPolicy = Clear;
    bool m_keepsOtherUsers = false;
    bool m_refreshesTokens = true;
    int m_timeout = 5'000;
    int m_identityTimeout = 40'000;
};

} // namespace SharedAuth
