internal import CSharedAuthGLib
internal import EncryptedFiles
internal import SharedAuth

/// The construct-only properties of a session.
struct SessionSettings: Sendable {
    var appID: String?
    var teamID: String?
    var appName: String?
    var project: String?
    var usesEncryptedFiles = false
    var keyFile: String?
    var accessGroups: [String] = []
    var accessGroup: String?
    var ownUserPolicy = OwnUserPolicy.clear
    var identityProvider: ObjectReference?
    var keepsOtherUsers = false
    var refreshesTokens = true
    var timeout: UInt32 = 5000
    var identityTimeout: UInt32 = 40000

    /// Returns whether two sessions with the same `engineKey` can share an engine.
    func canShareEngine(with other: SessionSettings) -> Bool {
        teamID == other.teamID && accessGroups == other.accessGroups && accessGroup == other.accessGroup
            && ownUserPolicy == other.ownUserPolicy && canShareProvider(with: other)
            && keepsOtherUsers == other.keepsOtherUsers && refreshesTokens == other.refreshesTokens
            && timeout == other.timeout && identityTimeout == other.identityTimeout
    }

    private func canShareProvider(with other: SessionSettings) -> Bool {
        switch (provider, other.provider) {
        case (nil, nil): true
        case (let provider?, let other?): provider.canShareEngine(with: other)
        default: false
        }
    }

    /// The core of the identity provider.
    var provider: ProviderCore? { identityProvider.map { unsafe core(of: $0.pointer) } }

    /// The settings that select the app's slots. Sessions with the same values share an engine.
    struct EngineKey: Hashable {
        let appID: String
        let appName: String
        let project: String
        /// The path of the key file; nil for the keyring.
        let store: String?
    }

    /// The engine key, with defaults for the missing values.
    var engineKey: EngineKey {
        EngineKey(
            appID: appID ?? Self.defaultAppID,
            appName: appName ?? AuthApp.defaultName,
            project: project ?? "default",
            store: usesEncryptedFiles ? keyFile ?? "" : nil
        )
    }

    private static var defaultAppID: String {
        let application = unsafe g_application_get_default().flatMap { unsafe g_application_get_application_id($0) }
        return unsafe application.map { unsafe String(cString: $0) } ?? AppIdentity.derivedAppID()
    }

    /// Returns the options of an engine whose identity provider emits its signals in `context`.
    ///
    /// - Throws: `keyringUnavailable` for encrypted files without a key file.
    func options(for key: EngineKey, _ context: ContextReference) throws(AuthError) -> AuthApp.Options {
        var options = AuthApp.Options(
            appID: key.appID,
            teamID: teamID,
            accessGroup: accessGroup,
            accessGroups: accessGroups,
            project: key.project,
            timeout: .milliseconds(timeout),
            keepsOtherUsers: keepsOtherUsers,
            refreshesTokens: refreshesTokens
        )
        options.ownUserPolicy = ownUserPolicy
        options.identityTimeout = .milliseconds(identityTimeout)
        if usesEncryptedFiles {
            guard let keyFile else {
                throw AuthError(
                    .keyringUnavailable,
                    "The store of encrypted files needs a key file.",
                    remedy: "Create the session with key-file."
                )
            }
            options.store = .encryptedFiles(key: .keyFile(keyFile))
        }
        if let identityProvider, let provider {
            options.identityProvider = provider.factory(for: identityProvider, context)
        }
        return options
    }
}
