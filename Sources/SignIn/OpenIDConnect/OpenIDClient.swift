public import DesktopSupport
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
    /// The scopes that a sign-in requests. `openid` is added if it is missing, and see ``addsOfflineAccess``.
    ///
    /// If `offline_access` is among them, the provider asks for the user's consent at each sign-in (`prompt=consent`),
    /// as OpenID Connect requires, unless the sign-in sets another `prompt`.
    public var scopes: [String]
    /// Indicates whether a sign-in adds the scope `offline_access` if discovery lists it. The default is true: without
    /// the scope, many providers issue no refresh token, and the session ends with its first tokens.
    ///
    /// A scope that was added does not make the provider ask for consent, and is left out after the provider has
    /// refused it.
    public var addsOfflineAccess = true
    /// The issuers of all tenants of the provider, for one that names such a template in the discovery document of
    /// ``issuerURL``: an https URL with `{tenantid}` in its path, exactly as in the document. Nil, the default, accepts
    /// only the issuer ``issuerURL``.
    ///
    /// Setting it accepts the accounts of every tenant. The claim `tid` of an ID token must be the tenant in its `iss`.
    /// The issuer of an account is its tenant's, with the client ID.
    public var issuerTemplate: String?
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
        guard let clientID = FormEncoding.unescape(escaped), WebAddress.isIssuerURL(url), !clientID.isEmpty else {
            return nil
        }
        self.init(issuerURL: url, clientID: clientID)
    }

    /// Checks the issuer URL, the template and the client ID.
    ///
    /// - Throws: `operationNotAllowed` if the issuer URL or the template is invalid; `invalidClientID` if the client ID is invalid.
    func check() throws(AuthError) {
        guard WebAddress.isIssuerURL(issuerURL) else {
            throw AuthError(
                .operationNotAllowed,
                "The issuer URL of the OpenID provider is not an https URL without query and fragment. Plain HTTP is "
                    + "allowed only for loopback addresses."
            )
        }
        try checkTemplate()
        guard ClientID.isValid(clientID) else {
            throw AuthError(.invalidClientID, "The client ID is empty or has invalid characters.")
        }
    }
}

extension OpenIDClient: Redacted {
    /// The issuer URL and the client ID.
    public var description: String { "OpenIDClient(\(issuer))" }
    /// Shows the issuer URL and the client ID, but not the secret.
    public var customMirror: Mirror { Mirror(self, children: ["issuer": issuer]) }
}
