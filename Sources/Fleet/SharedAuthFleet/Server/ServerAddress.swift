internal import FoundationEssentials

/// The address of a fleet's PostgreSQL server, and the proofs of identity that this client and the server give.
public struct ServerAddress: Sendable, Hashable, Codable {
    /// The server: a host name, an address, or the directory of a local socket, which begins with a slash. Several,
    /// separated by commas, are tried in order until one accepts writes.
    public var host: String
    /// The port.
    public var port: Int
    /// The database.
    public var database: String
    /// The person's role.
    public var role: String
    /// The file with the certificates of authorities that may issue the server's; nil for `~/.postgresql/root.crt`.
    public var rootCertificate: String?
    /// The file with this client's certificate; nil for `~/.postgresql/postgresql.crt`, if it exists.
    public var certificate: String?
    /// The file with the key of this client's certificate; nil for `~/.postgresql/postgresql.key`.
    public var privateKey: String?
    /// The file with the person's password, in the format of PostgreSQL's `.pgpass`; nil for none.
    public var passwordFile: String?
    /// Indicates whether a server over the network may be used without a verified certificate. Anyone between can then
    /// act as the server.
    public var allowsUnverifiedServer: Bool

    /// Creates an address.
    public init(
        host: String,
        port: Int = 5432,
        database: String,
        role: String,
        rootCertificate: String? = nil,
        certificate: String? = nil,
        privateKey: String? = nil,
        passwordFile: String? = nil,
        allowsUnverifiedServer: Bool = false
    ) {
        self.host = host
        self.port = port
        self.database = database
        self.role = role
        self.rootCertificate = rootCertificate
        self.certificate = certificate
        self.privateKey = privateKey
        self.passwordFile = passwordFile
        self.allowsUnverifiedServer = allowsUnverifiedServer
    }

    /// The hosts.
    var hosts: [String] {
        host.split(separator: ",", omittingEmptySubsequences: false).map { String($0.filter { $0 != " " }) }
    }

    /// Checks that the parts can be used.
    ///
    /// - Throws: `invalidAddress`, with the part that cannot be used.
    func check() throws(FleetError) {
        func invalid(_ reason: String) -> FleetError {
            FleetError(
                .invalidAddress,
                "The server's address cannot be used: \(reason).",
                remedy: "Give a host or the directory of a socket, a port, a database and a role."
            )
        }
        let parts =
            [host, database, role] + [rootCertificate, certificate, privateKey, passwordFile].compactMap(\.self)
        guard parts.allSatisfy({ !$0.utf8.contains(0) }) else { throw invalid("a part contains a zero byte") }
        guard hosts.allSatisfy({ !$0.isEmpty }) else { throw invalid("a host is empty") }
        guard !database.isEmpty else { throw invalid("the database is empty") }
        guard !role.isEmpty else { throw invalid("the role is empty") }
        guard (1...65535).contains(port) else { throw invalid("the port is not between 1 and 65535") }
    }
}
