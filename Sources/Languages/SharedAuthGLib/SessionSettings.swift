internal import CSharedAuthGLib
internal import SharedAuth

/// What a session is made with.
struct SessionSettings: Sendable {
    var appID: String?
    var teamID: String?
    var appName: String?
    var project: String?
    var isInFiles = false
    var keyFile: String?
    var accessGroups: [String] = []
    var identityProvider: ObjectReference?
    var keepsOtherUsers = false
    var refreshesTokens = true
    var timeout: UInt32 = 5000
    var identityTimeout: UInt32 = 40000

    /// Whether a session may have the engine of another.
    func isSame(as other: SessionSettings) -> Bool {
        teamID == other.teamID && accessGroups == other.accessGroups
            && hasSameIdentityProvider(as: other)
            && keepsOtherUsers == other.keepsOtherUsers && refreshesTokens == other.refreshesTokens
            && timeout == other.timeout && identityTimeout == other.identityTimeout
    }

    private func hasSameIdentityProvider(as other: SessionSettings) -> Bool {
        switch (provider, other.provider) {
        case (nil, nil): true
        case (let provider?, let other?): provider.isSame(as: other)
        default: false
        }
    }

    /// The core of the identity provider.
    var provider: ProviderCore? { identityProvider.map { unsafe core(of: $0.pointer) } }

    /// The slot in which the app keeps its users, by which sessions share an engine.
    struct Place: Hashable {
        let appID: String
        let appName: String
        let project: String
        let store: String?
    }

    /// The same for all sessions of the app's slot.
    var place: Place {
        Place(
            appID: appID ?? Self.presentAppID,
            appName: appName ?? AuthApp.defaultName,
            project: project ?? "default",
            store: isInFiles ? keyFile ?? "" : nil
        )
    }

    private static var presentAppID: String {
        let application = unsafe g_application_get_default().flatMap { unsafe g_application_get_application_id($0) }
        return unsafe application.map { unsafe String(cString: $0) } ?? AppIdentity.derivedAppID()
    }

    /// The options of the engine, which delivers on a context.
    func options(of place: Place, _ context: ContextReference) throws(AuthError) -> AuthApp.Options {
        var options = AuthApp.Options(
            appID: place.appID,
            teamID: teamID,
            accessGroups: accessGroups,
            project: place.project,
            timeout: .milliseconds(timeout),
            keepsOtherUsers: keepsOtherUsers,
            refreshesTokens: refreshesTokens
        )
        options.identityTimeout = .milliseconds(identityTimeout)
        if isInFiles {
            guard let keyFile else {
                throw AuthError(
                    .keyringUnavailable,
                    "Encrypted files need a key.",
                    remedy: "Make the session with key-file."
                )
            }
            options.store = .encryptedFile(key: .keyFile(keyFile))
        }
        if let identityProvider, let provider {
            options.identityProvider = provider.factory(for: identityProvider, context)
        }
        return options
    }
}
