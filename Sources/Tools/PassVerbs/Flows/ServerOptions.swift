internal import ArgumentParser
internal import CommandLineSupport
internal import DesktopSupport
internal import FoundationEssentials
internal import Glibc
internal import PassAuth
internal import PassREST

/// The address of the servers, and the software statement that the app registers with.
struct ServerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The programmer (requestor).", valueName: "id"))
    var requestor: String

    @Option(
        help: ArgumentHelp(
            "The address of the servers, https or on this machine; by default SHAREDAUTH_PASS_SERVER.",
            valueName: "url"
        )
    )
    var server: String?

    @Option(
        help: ArgumentHelp(
            "The file with the app's software statement; by default SHAREDAUTH_PASS_STATEMENT is the statement.",
            valueName: "path"
        ),
        completion: .file()
    )
    var statementFile: String?

    @Option(
        help: ArgumentHelp(
            "The file with a service token, which names the user of the group's apps.",
            valueName: "path"
        ),
        completion: .file()
    )
    var serviceTokenFile: String?

    func endpoints() throws -> PassEndpoints {
        guard let server = server ?? Environment["SHAREDAUTH_PASS_SERVER"] else {
            throw ValidationError("Give --server <url>, or set SHAREDAUTH_PASS_SERVER. There is no default.")
        }
        do throws(PassBackendError) {
            return try PassEndpoints(api: server)
        } catch {
            throw ValidationError(error.message)
        }
    }

    func softwareStatement() throws -> String {
        if let statementFile { return try Self.text(of: statementFile) }
        if let statement = Environment["SHAREDAUTH_PASS_STATEMENT"] { return statement }
        throw ValidationError("Give --statement-file <path>, or set SHAREDAUTH_PASS_STATEMENT.")
    }

    var settings: PassRESTBackend.Settings {
        var settings = PassRESTBackend.Settings()
        // Read for each call, because the process that writes the file may have renewed the token.
        if let path = serviceTokenFile {
            settings.serviceToken = {
                guard let text = try? Self.text(of: path) else {
                    throw PassBackendError(.network, "The service token file \(path) cannot be read as text.")
                }
                return text
            }
        }
        return settings
    }

    /// The maximum size of a statement or a token, in bytes.
    private static let sizeLimit = 65_536

    private static func text(of path: String) throws -> String {
        // Another user of this machine who can read the file can act as the app; one who can write it can change the
        // identity that the app acts with.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw ValidationError("\(path) cannot be read as text.") }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ValidationError("\(path) is not a regular file.")
        }
        guard status.st_mode & 0o077 == 0, [geteuid(), 0].contains(status.st_uid) else {
            throw ValidationError("\(path) is open to other users. Run: chmod 600 \(path.quotedForShell)")
        }
        var bytes = [UInt8](repeating: 0, count: sizeLimit + 1)
        let count = unsafe read(file, &bytes, bytes.count)
        guard count >= 0, count <= sizeLimit, let text = String(validating: bytes.prefix(count), as: UTF8.self) else {
            throw ValidationError("\(path) cannot be read as text of 64 KiB at most.")
        }
        return text.filter { !$0.isWhitespace }
    }
}
