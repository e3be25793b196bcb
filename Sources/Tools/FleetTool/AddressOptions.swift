internal import ArgumentParser
internal import CommandLineSupport
internal import Glibc
internal import SharedAuthFleet

/// The options for the server's address, and for this device's name.
struct AddressOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The server: a host, or the directory of a local socket; several with commas.",
            valueName: "host"
        )
    )
    var host: String?

    @Option(help: "The server's port.")
    var port = 5432

    @Option(help: "The database.")
    var database: String?

    @Option(help: "Your role at the server; your user name if it is not given.")
    var role: String?

    @Option(
        help: ArgumentHelp("The certificates of authorities that issue the server's.", valueName: "path"),
        completion: .file()
    )
    var rootCertificate: String?

    @Option(help: ArgumentHelp("This device's certificate for the role.", valueName: "path"), completion: .file())
    var certificate: String?

    @Option(help: ArgumentHelp("The key of the certificate.", valueName: "path"), completion: .file())
    var privateKey: String?

    @Option(
        help: ArgumentHelp("A file with the role's password, in the format of .pgpass.", valueName: "path"),
        completion: .file()
    )
    var passwordFile: String?

    @Flag(
        help: "Use a server over the network whose certificate cannot be verified. Others can then act as the server."
    )
    var allowUnverifiedServer = false

    @Option(help: "The name of this device in the fleet's list; the host's name if it is not given.")
    var name: String?

    /// Returns the address.
    ///
    /// - Throws: A usage error if the server or the database is missing.
    func address() throws -> ServerAddress {
        guard let host else { throw ValidationError("Give the server with --host.") }
        guard let database else { throw ValidationError("Give the database with --database.") }
        return ServerAddress(
            host: host,
            port: port,
            database: database,
            role: role ?? Self.userName,
            rootCertificate: rootCertificate,
            certificate: certificate,
            privateKey: privateKey,
            passwordFile: passwordFile,
            allowsUnverifiedServer: allowUnverifiedServer
        )
    }

    /// The name of the device.
    var deviceName: String { name ?? Self.hostName }

    private static var userName: String {
        guard let entry = unsafe getpwuid(getuid()), let name = unsafe entry.pointee.pw_name else { return "" }
        return unsafe String(cString: name)
    }

    private static var hostName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&buffer, 255) == 0 else { return "device" }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
