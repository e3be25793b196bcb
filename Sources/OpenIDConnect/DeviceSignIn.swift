public import FoundationEssentials
public import SharedAuth

/// A sign-in with a code that the person enters in a browser on any machine (RFC 8628): for a terminal, a television, or a
/// machine without a browser.
///
/// Show the code as it is, large, and the address with it. A QR code of ``DeviceCode/completeVerificationURL`` spares typing;
/// show the code all the same, so that the person can compare the two.
///
/// Ends with `timedOut` when the time for the person is over or the code has expired, `webContextCancelled` when the person
/// declines or the task is cancelled, `operationNotAllowed` if the server does not offer this, and as ``OpenIDConnect``.
public struct DeviceSignIn: FederatedAuthProvider {
    private let target: any SignInTarget
    private let show: @Sendable (DeviceCode) -> Void

    /// The time that the person may take; the code may expire before.
    public var timeout: Duration = .seconds(300)

    /// Makes a sign-in at an OpenID provider.
    ///
    /// - Parameters:
    ///   - identityProvider: the app's identity provider.
    ///   - show: shows the code to the person; called once, from any thread.
    public init(_ identityProvider: OpenIDConnect, show: @escaping @Sendable (DeviceCode) -> Void) {
        (target, self.show) = (identityProvider, show)
    }

    /// Makes a sign-in at a plain OAuth 2 server.
    ///
    /// - Parameters:
    ///   - client: the app as the server knows it.
    ///   - show: shows the code to the person; called once, from any thread.
    public init(_ client: OAuthClient, show: @escaping @Sendable (DeviceCode) -> Void) {
        (target, self.show) = (client, show)
    }

    /// The server at which the person signs in.
    public var providerID: String { target.providerID }

    /// Gets a code, shows it, and waits for the person.
    ///
    /// - Throws: what the documentation of ``DeviceSignIn`` names.
    public func credential() async throws(AuthError) -> AuthCredential { try await credential {} }

    /// As ``credential()``; the person is done when the server gives tokens for the code.
    public func credential(personIsDone: @escaping @Sendable () -> Void) async throws(AuthError) -> AuthCredential {
        let flow = DeviceFlow(target: target, timeout: timeout, show: show, personIsDone: personIsDone)
        return OAuthProvider.credential(try await flow.run())
    }
}

/// A code that the person enters, and the address for it; printed, it shows the address alone.
public struct DeviceCode: Sendable, Hashable {
    /// The code, as it is to be shown.
    public let userCode: String
    /// The page to enter it in.
    public let verificationURL: URL
    /// The page with the code filled in, if the server has one.
    public let completeVerificationURL: URL?
    /// When the code expires.
    public let expirationDate: Date
}

extension DeviceCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The address alone.
    public var description: String { "DeviceCode(\(verificationURL))" }
    /// The address alone.
    public var debugDescription: String { description }
    /// The address alone: whoever has the code can have it confirmed.
    public var customMirror: Mirror { Mirror(self, children: ["verificationURL": verificationURL]) }
}
