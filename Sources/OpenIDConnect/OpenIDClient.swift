internal import SharedAuth
internal import SharedAuthHTTP

/// An app as an OpenID provider knows it; printed, it shows no secret.
///
/// The apps of an access group share one client: the issuer of their sessions is the issuer URL plus the client id.
public struct OpenIDClient: Sendable, Hashable {
    /// The issuer URL exactly as the OpenID provider names itself, e.g. `https://accounts.google.com`: https, or http on the
    /// loopback interface; without query and fragment.
    public let issuerURL: String
    /// The client id that the OpenID provider gave to the app.
    public let clientID: String
    /// The client secret, for OpenID providers that give one to desktop apps. Everyone who has the app has the secret, so it proves
    /// nothing.
    public var clientSecret: String?
    /// The scopes that a sign-in asks for. `openid` is added if it is missing, and `offline_access` where discovery
    /// lists it.
    public var scopes: [String]
    /// The name of the OpenID provider in a user's `providerData`: the host of the issuer URL unless set, e.g. to
    /// `google.com`.
    public var providerID: String

    /// Describes an app.
    ///
    /// - Parameters:
    ///   - issuerURL: the issuer URL exactly as the OpenID provider names itself.
    ///   - clientID: the client id that the OpenID provider gave to the app.
    ///   - clientSecret: the client secret, if there is one.
    ///   - scopes: the scopes that a sign-in asks for.
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
    /// The issuer of the sessions of this client: the issuer URL, and the client id as its fragment, which an issuer
    /// URL itself never has.
    public var issuer: String { "\(issuerURL)#\(FormEncoding.escape(clientID))" }

    /// The client whose sessions this issuer issues, without its secret; nil if it is not an issuer of this kind.
    ///
    /// - Parameter issuer: what ``issuer`` gave.
    public init?(issuer: String) {
        guard let mark = issuer.firstIndex(of: "#") else { return nil }
        let (url, escaped) = (String(issuer[..<mark]), issuer[issuer.index(after: mark)...])
        guard let clientID = FormEncoding.unescape(escaped), Self.isIssuerURL(url), !clientID.isEmpty else {
            return nil
        }
        self.init(issuerURL: url, clientID: clientID)
    }

    /// Throws `operationNotAllowed` for an issuer URL that cannot be one, and `invalidClientID` for a client id.
    func check() throws(AuthError) {
        guard Self.isIssuerURL(issuerURL) else {
            throw AuthError(
                .operationNotAllowed,
                "The issuer URL of the OpenID provider is not an https URL without query and fragment. Http is good on the "
                    + "loopback interface only."
            )
        }
        guard Self.isClientID(clientID) else {
            throw AuthError(.invalidClientID, "The client id is empty, or has characters that a client id never has.")
        }
    }

    /// The scopes of a sign-in, with what is added to them.
    func scopes(at server: ServerMetadata) -> [String] {
        var all = scopes.contains("openid") ? scopes : ["openid"] + scopes
        let offline = "offline_access"
        if !all.contains(offline), server.supportedScopes?.contains(offline) == true { all.append(offline) }
        return all
    }

    private static func isIssuerURL(_ text: String) -> Bool {
        !text.contains("?") && !text.contains("#") && WebAddress(text)?.isProtected == true
    }

    /// Printable ASCII, as RFC 6749 appendix A has it.
    private static func isClientID(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 1024 && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}

extension OpenIDClient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The issuer URL and the client id.
    public var description: String { "OpenIDClient(\(issuer))" }
    /// The issuer URL and the client id.
    public var debugDescription: String { description }
    /// The issuer URL and the client id: the secret is not shown.
    public var customMirror: Mirror { Mirror(self, children: ["issuer": issuer]) }
}
