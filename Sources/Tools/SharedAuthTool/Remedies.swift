internal import IdentityToolkit
internal import SecretService
internal import SharedAuth

extension AuthError {
    /// The error as the tool reports it.
    ///
    /// The tool makes one call at a time, so that a wait for another call of this process is a wait for the keyring.
    var ofTool: AuthError {
        let lockWait = (underlying as? RecordStoreError)?.lockWait
        return code == .timedOut && lockWait?.holder == .thisProcess ? .muteKeyring : self
    }

    /// The remedy in terms of this tool. The library's remedies address app developers, and name its functions.
    ///
    /// Nil if the message includes the remedy.
    var toolRemedy: String? {
        guard let remedy else { return nil }
        // Some remedies name the verb already, with its arguments.
        if remedy.contains("sharedauth ") { return remedy }
        return switch code {
        case .keyringLocked: "Unlock it with sharedauth unlock."
        case .accessGroupNotDeclared: "Name it with --declare, or in SHAREDAUTH_ACCESS_GROUPS."
        case .accessGroupOccupied: "Sign them out there, or choose a policy with --if-occupied."
        case .tenantIDMismatch: "Switch in the app that the tenant belongs to."
        case .conflict where remedy.contains("its issuer"): "Say which one with --issuer."
        case .conflict: "Run the command again."
        case .operationNotAllowed where remedy.contains("getIDToken"): "Run sharedauth token without --access."
        case .operationNotAllowed where remedy.contains("addsOfflineAccess"):
            "Sign in again with --no-offline-access."
        case .operationNotAllowed where remedy.contains("OAuthServer.user"):
            "Name a page of the server that describes the user, with --user-page."
        case .operationNotAllowed where remedy.contains("initialAccessToken"):
            "Register a client there by hand, and give its --client-id."
        case .operationNotAllowed where remedy.contains("OAuthRegistration.redirectURIs"):
            "Give another --redirect-port, --redirect-host or --redirect-path, which the server accepts, or register a "
                + "client by hand and give its --client-id."
        case .webInternalError where remedy.contains("the user's ID"): "Give that member with --user-id."
        case _ where remedy.contains("publishes no metadata"):
            remedy.replacing("give its endpoints", with: "give its --token-endpoint")
        case .webInternalError where remedy.contains("issuer template"):
            remedy.replacing("set the issuer template of the client to", with: "give --issuer-template")
        case .timedOut where remedy.contains("addsOfflineAccess"):
            remedy.replacing("set addsOfflineAccess to false", with: "give --no-offline-access")
        case .invalidClientID where remedy.contains("client secret"):
            "Check the client id. If the client has a secret, set SHAREDAUTH_CLIENT_SECRET to it and SHAREDAUTH_CLIENT_SECRET_ISSUER to the "
                + "issuer URL; at a sign-in, give --client-secret-stdin."
        case .outcomeUnknown: "Run sharedauth status to see whether the change was made."
        case .recordVersionUnsupported: "Update sharedauth."
        case .recordDamaged where underlying is AuthError:
            "Set it aside with sharedauth set-aside user, then run sharedauth migrate to bring the user along."
        case .recordDamaged: "Sign in again, or run sharedauth set-aside user; a copy stays."
        case .timedOut where remedy.contains("network"): "Check the network, and try again."
        case .stateDirectoryUnusable where underlying == nil: "Choose again with sharedauth use-group."
        case .stateDirectoryUnusable: "Make the directory writable, or set XDG_STATE_HOME."
        case .fileLocksUnavailable where remedy.contains("Options."):
            "Start the lock service of the network's file system, or set XDG_STATE_HOME to a directory on a local disk."
        case .keyringUnavailable where lacksCollection:
            "Run sharedauth create-collection in the user's desktop session."
        case .secondFactorRequired: "Give the code of the second factor with --code-stdin."
        case .requiresRecentLogin where underlying is IdentityToolkitRefusal: "Sign in again, and repeat it."
        case .credentialAlreadyInUse: "Sign in with it, to use that account."
        case .accountExistsWithDifferentCredential: "Sign in with one of them, then run sharedauth link."
        case .providerAlreadyLinked: nil
        case .internalError where underlying is IdentityToolkitRefusal: nil
        case .timedOut where remedy.contains("Options."): "Try again."
        default: remedy
        }
    }

    private var lacksCollection: Bool {
        let below = (underlying as? RecordStoreError)?.underlying as? SecretServiceError
        return below?.code == .noSuchCollection
    }
}
