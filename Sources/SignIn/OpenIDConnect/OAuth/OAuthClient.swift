public import DesktopSupport
public import SharedAuth
internal import SharedAuthHTTP

/// An app's client at a plain OAuth 2 server, which issues no ID tokens. Its description does not show the secret.
///
/// The issuer of a session is the server plus the client ID. The apps of an access group share a client that was
/// registered by hand; of those that an app registers, it can use each.
public struct OAuthClient: Sendable {
    /// The source of the client ID.
    enum Identification: Sendable {
        case given(clientID: String, secret: String?)
        case registered(OAuthRegistration)
        /// A client that the apps of the project have registered, as their record has it.
        case recorded(clientID: String)
    }

    /// The server.
    public let server: OAuthServer
    /// The scopes that a sign-in requests.
    public var scopes: [String]
    /// The URLs of the resource servers that the access tokens are for (RFC 8707); empty if the server decides. The apps
    /// of an access group use the same: they share the access tokens.
    public var resources: [String] = []
    /// The name of the server in a user's `providerData`. The default is the host of the server's URL; set it to e.g.
    /// `github.com`.
    public var providerID: String
    let identification: Identification

    /// Creates a client that was registered by hand.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - clientID: The client ID that the server assigned to the app.
    ///   - clientSecret: The client secret, if there is one. Every user of the app can read it, so it proves nothing.
    ///   - scopes: The scopes that a sign-in requests.
    public init(_ server: OAuthServer, clientID: String, clientSecret: String? = nil, scopes: [String] = []) {
        self.init(server, .given(clientID: clientID, secret: clientSecret), scopes)
    }

    /// Creates a client that the first sign-in registers (RFC 7591), for all apps of the project.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - registration: The data that the app registers with.
    ///   - scopes: The scopes that a sign-in requests.
    public init(_ server: OAuthServer, registering registration: OAuthRegistration, scopes: [String] = []) {
        self.init(server, .registered(registration), scopes)
    }

    init(_ server: OAuthServer, _ identification: Identification, _ scopes: [String]) {
        (self.server, self.identification, self.scopes) = (server, identification, scopes)
        providerID = WebAddress(server.url)?.host ?? "oauth"
    }
}

/// The data with which an app registers at a server (RFC 7591).
public struct OAuthRegistration: Sendable, Hashable {
    /// The name of the app, as the server shows it to users.
    public var clientName: String
    /// The redirect URIs, if they are not those of the browser settings of the first sign-in.
    ///
    /// The apps of a project share the client: set this if their browser settings differ.
    public var redirectURIs: [String]?
    /// Other members of the registration, such as `client_uri`, `logo_uri` or `software_id`. They take precedence.
    public var metadata: [String: JSONValue] = [:]
    /// The token that allows to register, if the server requires one.
    public var initialAccessToken: String?

    /// Creates the data of a registration.
    ///
    /// - Parameter clientName: The name of the app, as the server shows it to users.
    public init(clientName: String) { self.clientName = clientName }
}

extension OAuthRegistration: Redacted {
    /// The name of the app.
    public var description: String { "OAuthRegistration(\(clientName))" }
    /// Shows the name of the app only.
    public var customMirror: Mirror { Mirror(self, children: ["clientName": clientName]) }
}

extension OAuthClient {
    private static let scheme = "oauth2:"

    /// The issuer of this client's sessions: `oauth2:` with the URL that names the server, and the client ID as its
    /// fragment. Without the fragment if the app registers its clients, whose sessions have their IDs.
    public var issuer: String {
        switch identification {
        case .given(let clientID, _), .recorded(let clientID): "\(serverIssuer)#\(FormEncoding.escape(clientID))"
        case .registered: serverIssuer
        }
    }

    private var serverIssuer: String { "\(Self.scheme)\(server.url)" }

    /// The name of the project's record about the server and this client. The clients that apps register have one
    /// record.
    var recordName: String {
        if case .given = identification { issuer } else { serverIssuer }
    }

    /// Returns a client that was registered with this one's data.
    func recorded(as clientID: String) -> OAuthClient {
        var client = OAuthClient(server, .recorded(clientID: clientID), scopes)
        (client.resources, client.providerID) = (resources, providerID)
        return client
    }

    /// Returns the URL that names the server in the issuer of a session, and the client ID; nil if the issuer is not of
    /// this kind.
    package static func parts(of issuer: String) -> (url: String, clientID: String?)? {
        guard issuer.hasPrefix(scheme) else { return nil }
        let rest = issuer.dropFirst(scheme.count)
        let mark = rest.firstIndex(of: "#") ?? rest.endIndex
        let url = String(rest[..<mark])
        guard WebAddress(url)?.isProtected == true else { return nil }
        if mark == rest.endIndex { return (url, nil) }
        guard let clientID = FormEncoding.unescape(rest[mark...].dropFirst()), ClientID.isValid(clientID) else {
            return nil
        }
        return (url, clientID)
    }

    /// Checks the server and the client ID.
    ///
    /// - Throws: `operationNotAllowed` for a server without HTTPS; `invalidClientID`.
    func check() throws(AuthError) {
        try server.check()
        guard case .given(let clientID, _) = identification, !ClientID.isValid(clientID) else { return }
        throw AuthError(.invalidClientID, "The client ID is empty or has invalid characters.")
    }
}

extension OAuthClient: Redacted {
    /// The server and the client ID.
    public var description: String { "OAuthClient(\(issuer))" }
    /// Shows the server and the client ID, but not the secret.
    public var customMirror: Mirror { Mirror(self, children: ["issuer": issuer]) }
}

/// The form of client IDs.
enum ClientID {
    /// Returns whether a client ID is printable ASCII, as RFC 6749 appendix A requires.
    static func isValid(_ text: String) -> Bool {
        (1...1024).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
