internal import SharedAuth
internal import SharedAuthHTTP

/// An app's registration at an OpenID provider. Its description does not show the secret.
///
/// The apps of an access group share one client: the issuer of their sessions is the issuer URL plus the client ID.
public struct OpenIDClient: Sendable, Hashable {
    /// The issuer URL exactly as the OpenID provider writes it, e.g. `https://accounts.google.com`: HTTPS, or HTTP on
    /// the loopback interface; without query and fragment.
    public let issuerURL: String
    /// The client ID that the OpenID provider assigned to the app.
    public let clientID: String
    /// The client secret, for OpenID providers that issue one to desktop apps. Every user of the app can read it, so it
    /// proves nothing.
    public var clientSecret: String?
    /// The scopes that a sign-in requests. `openid` is added if it is missing, and `offline_access` if discovery lists
    /// it.
    public var scopes: [String]
    /// The name of the OpenID provider in a user's `providerData`. The default is the host of the issuer URL; set it to
    /// e.g. `google.com`.
    public var providerID: String

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - issuerURL: The issuer URL exactly as the OpenID provider writes it.
    ///   - clientID: The client ID that the OpenID provider assigned to the app.
    ///   - clientSecret: The client secret, if there is one.
    ///   - scopes: The scopes that a sign-in requests.
    public init(
        issuerURL: String,
        clientID: String,
        clientSecret: String? = nil,
        scopes: [String] = ["openid", "profile", "email"]
    ) {
        self.issuerURL = issuerURL
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.scopes = scopes
        providerID = WebAddress(issuerURL)?.host ?? "oidc"
    }
}

extension OpenIDClient {
    /// The issuer of this client's sessions: the issuer URL with the client ID as its fragment, which an issuer URL
    /// itself never has.
    public var issuer: String { "\(issuerURL)#\(FormEncoding.escape(clientID))" }

    /// Creates the client of an issuer, without its secret; nil if the issuer is not of this kind.
    ///
    /// - Parameter issuer: A value of ``issuer``.
    public init?(issuer: String) {
        guard let mark = issuer.firstIndex(of: "#") else { return nil }
        let (url, escaped) = (String(issuer[..<mark]), issuer[issuer.index(after: mark)...])
        guard let clientID = FormEncoding.unescape(escaped), Self.isIssuerURL(url), !clientID.isEmpty else {
            return nil
        }
        self.init(issuerURL: url, clientID: clientID)
    }

    /// Checks the issuer URL and the client ID.
    ///
    /// - Throws: `operationNotAllowed` if the issuer URL is invalid; `invalidClientID` if the client ID is invalid.
    func check() throws(AuthError) {
        guard Self.isIssuerURL(issuerURL) else {
            throw AuthError(
                .operationNotAllowed,
                "The issuer URL of the OpenID provider is not an https URL without query and fragment. Plain HTTP is "
                    + "allowed only for loopback addresses."
            )
        }
        guard Self.isClientID(clientID) else {
            throw AuthError(.invalidClientID, "The client ID is empty or has invalid characters.")
        }
    }

    /// Returns the scopes that a sign-in requests, including the added ones.
    func scopes(at server: ServerMetadata) -> [String] {
        var all = scopes.contains("openid") ? scopes : ["openid"] + scopes
        let offline = "offline_access"
        if !all.contains(offline), server.supportedScopes?.contains(offline) == true { all.append(offline) }
        return all
    }

    private static func isIssuerURL(_ text: String) -> Bool {
        !text.contains("?") && !text.contains("#") && WebAddress(text)?.isProtected == true
    }

    /// Returns whether the text is printable ASCII, as RFC 6749 appendix A requires.
    private static func isClientID(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 1024 && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}

extension OpenIDClient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The issuer URL and the client ID.
    public var description: String { "OpenIDClient(\(issuer))" }
    /// The issuer URL and the client ID.
    public var debugDescription: String { description }
    /// Shows the issuer URL and the client ID, but not the secret.
    public var customMirror: Mirror { Mirror(self, children: ["issuer": issuer]) }
}
