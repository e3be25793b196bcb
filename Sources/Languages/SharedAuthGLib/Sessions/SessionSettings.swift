internal import CSharedAuthGLib
internal import EncryptedFiles
internal import SharedAuth

/// The construct-only properties of a session.
struct SessionSettings: Sendable {
    var appID: String?
    var teamID: String?
    var appName = AuthApp.defaultName
    var project = "default"
    var usesEncryptedFiles = false
    var keyFile: String?
    /// The declared access groups; nil if any well-formed group is accepted.
    var accessGroups: [String]?
    var accessGroup: String?
    var ownUserPolicy = OwnUserPolicy.clear
    var identityProvider: ObjectReference?
    var keepsOtherUsers = false
    var refreshesTokens = true
    var timeout: UInt32 = 5000
    var identityTimeout: UInt32 = 40000

    /// Returns whether two sessions with the same `engineKey` can share an engine.
    func canShareEngine(with other: SessionSettings) -> Bool {
        teamID == other.teamID && accessGroups.map(Set.init) == other.accessGroups.map(Set.init)
            && accessGroup == other.accessGroup && ownUserPolicy == other.ownUserPolicy && canShareProvider(with: other)
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

    /// The engine key.
    ///
    /// - Throws: `invalidAppIdentifier` if the app has no id.
    var engineKey: EngineKey {
        get throws(AuthError) {
            guard let appID else { throw .noAppID }
            let store = usesEncryptedFiles ? keyFile ?? "" : nil
            return EngineKey(appID: appID, appName: appName, project: project, store: store)
        }
    }

    /// Sets the app id, if none was given, to that of the default `GApplication`, or else to the one that the
    /// surroundings of the process assign. The name of the program is no app id: all scripts of a language share the
    /// name of its interpreter.
    mutating func completeAppID() {
        if appID != nil { return }
        let application = unsafe g_application_get_default().flatMap { unsafe g_application_get_application_id($0) }
        appID = unsafe application.map { unsafe String(cString: $0) } ?? AppIdentity.assignedAppID()
    }

    /// Returns the options of an engine whose identity provider emits its signals to `audience`.
    ///
    /// - Throws: `keyringUnavailable` for encrypted files without a key file; `invalidAccessGroup` if an empty list of
    ///   groups is declared; the errors of the identity provider.
    func options(for key: EngineKey, _ audience: RequestAudience) throws(AuthError) -> AuthApp.Options {
        if accessGroups?.isEmpty == true { throw .noAccessGroups }
        var options = AuthApp.Options(
            appID: key.appID,
            teamID: teamID,
            accessGroup: accessGroup,
            accessGroups: accessGroups ?? [],
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
            options.identityProvider = try provider.factory(for: identityProvider, audience)
        }
        return options
    }
}

extension AuthError {
    fileprivate static let noAppID = AuthError(
        .invalidAppIdentifier,
        "The app has no id. The name of the program is none, because all scripts run by one interpreter have the same.",
        remedy: "Create the session with app-id, such as com.example.Mail."
    )

    fileprivate static let noAccessGroups = AuthError(
        .invalidAccessGroup,
        "The list of the access groups that the app declares is empty, so it could use none.",
        remedy: "Create the session with the groups in access-groups, or without that property to use any group."
    )
}
