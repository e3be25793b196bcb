public import DesktopSupport
public import FoundationEssentials
public import SharedAuth

/// A sign-in with a code that the user enters in a browser on any device (RFC 8628): for a terminal, a television, or a
/// machine without a browser.
///
/// Show the code unchanged and large, together with the URL. A QR code of ``DeviceCode/completeVerificationURL`` saves
/// typing; show the code as well, so that the user can compare the two.
///
/// Throws `timedOut` if the user takes too long or the code expires, `webContextCancelled` if the user declines or the
/// task is cancelled, `operationNotAllowed` if the server does not offer device codes, and the errors of
/// ``OpenIDConnect``.
public struct DeviceSignIn: FederatedAuthProvider {
    private let service: any SignInService
    private let show: @Sendable (DeviceCode) -> Void

    /// Parameters that are added to the request for a code, such as `audience`.
    public var parameters: [String: String] = [:]

    /// The time limit for the user. The code may expire earlier.
    public var timeout: Duration = .seconds(300)

    /// Creates a sign-in at an OpenID provider.
    ///
    /// - Parameters:
    ///   - identityProvider: The app's identity provider.
    ///   - show: Shows the code to the user; called once, from any thread.
    public init(_ identityProvider: OpenIDConnect, show: @escaping @Sendable (DeviceCode) -> Void) {
        (service, self.show) = (identityProvider, show)
    }

    /// Creates a sign-in at a plain OAuth 2 server.
    ///
    /// - Parameters:
    ///   - identityProvider: The app's identity provider, or another one whose credential that accepts.
    ///   - show: Shows the code to the user; called once, from any thread.
    public init(_ identityProvider: OAuth2, show: @escaping @Sendable (DeviceCode) -> Void) {
        (service, self.show) = (identityProvider, show)
    }

    /// The server at which the user signs in.
    public var providerID: String { service.providerID }

    /// Gets a code, shows it, and waits for the user.
    ///
    /// - Throws: The errors that ``DeviceSignIn`` lists.
    public func credential() async throws(AuthError) -> AuthCredential { try await credential {} }

    /// Returns the same as ``credential()``, and calls `userIsDone` when the server issues tokens for the code.
    public func credential(userIsDone: @escaping @Sendable () -> Void) async throws(AuthError) -> AuthCredential {
        try await service.credential(within: timeout, adding: parameters, for: nil) {
            (target, parameters, time) async throws(AuthError) in
            let flow = DeviceFlow(
                target: target,
                parameters: parameters,
                time: time,
                show: show,
                userIsDone: userIsDone
            )
            return try await flow.run()
        }
    }

    /// Revokes the tokens of a credential that was not used, if the server can do that.
    public func discard(_ credential: AuthCredential) async { await service.discard(credential) }
}

/// A code that the user enters, and the URL to enter it at. Its description shows only the URL.
public struct DeviceCode: Sendable, Hashable {
    /// The code to show, unchanged.
    public let userCode: String
    /// The page to enter the code on.
    public let verificationURL: URL
    /// The page with the code filled in, if the server has one.
    public let completeVerificationURL: URL?
    /// The date when the code expires.
    public let expirationDate: Date
}

extension DeviceCode: Redacted {
    /// The URL only.
    public var description: String { "DeviceCode(\(verificationURL))" }
    /// Shows the URL only: anyone who has the code can confirm it.
    public var customMirror: Mirror { Mirror(self, children: ["verificationURL": verificationURL]) }
}
