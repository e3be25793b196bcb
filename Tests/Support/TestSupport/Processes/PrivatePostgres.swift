internal import Dispatch
internal import Glibc
internal import Synchronization

/// A private PostgreSQL server for a test, in a temporary directory, which listens on a socket there.
///
/// It runs as an ordinary user, `nobody` if the tests run as root, and does not outlive the process. Over the socket, it
/// lets in only this user and the one that runs the tests, as any role of ``newRole()``. Calls block.
package final class PrivatePostgres: Sendable {
    /// The role of the administrator.
    package static let administrator = "dba"
    /// A role without rights.
    package static let stranger = "stranger"
    /// The database.
    package static let database = "fleet"

    /// The directory of the socket and of all files.
    package let directory: String
    /// The port, which is part of the socket's name.
    package let port: Int
    private let diskSize: Int?
    private let guardian: Guardian
    /// The server's first process, and whether it accepts connections: true, and false when its log has ended.
    private let server = Mutex<(process: ChildProcess, states: Recorder<Bool>)?>(nil)
    /// The role of each connection that has ended. One test at a time takes them.
    package let disconnections = Recorder<String>()
    private let roles = Mutex(0)
    /// The number of programs that have been run.
    private let runs = Mutex(0)
    private let hasEnded = Mutex(false)

    /// A server for tests that do not disturb it; each test uses separate roles.
    package static let shared = Result { try PrivatePostgres() }

    /// Makes a database server, and starts it.
    ///
    /// - Parameters:
    ///   - settings: Lines of its configuration.
    ///   - certificates: True to listen on the loopback interface, too, for clients with certificates: see
    ///     ``certificate(of:)``.
    ///   - diskSize: The size in MiB of a disk for the database, in memory; nil for the disk of the directory. Only root
    ///     can make one.
    package convenience init(settings: [String] = [], certificates: Bool = false, diskSize: Int? = nil) throws {
        try self.init(port: certificates ? .random(in: 20_000..<30_000) : 5432, diskSize: diskSize)
        try perform(
            asUser([
                try Self.program("initdb"), "--pgdata=\(data)", "--username=\(Self.administrator)", "--auth=peer",
                "--no-sync", "--encoding=UTF8", "--locale=C.UTF-8",
            ])
        )
        try admitOwners()
        let usual = [
            "listen_addresses = ''", "unix_socket_directories = '\(directory)'", "fsync = off", "max_connections = 60",
            "log_disconnections = on",
        ]
        for line in usual + settings { try append(line, to: "postgresql.conf") }
        if certificates { try makeCertificates() }
        try start()
        if diskSize != nil { try administerAlone("CREATE TABLESPACE disk LOCATION '\(disk)'", in: "postgres") }
        let place = diskSize == nil ? "" : " TABLESPACE disk"
        try administerAlone("CREATE DATABASE \(Self.database)\(place)", in: "postgres")
    }

    /// Makes a standby of another server, and starts it.
    package convenience init(standbyOf primary: PrivatePostgres) throws {
        try self.init(port: primary.port)
        try primary.perform(
            asUser([
                try Self.program("pg_basebackup"), "--host=\(primary.directory)", "--port=\(primary.port)",
                "--username=\(Self.administrator)", "--pgdata=\(data)", "--write-recovery-conf", "--no-sync",
                "--checkpoint=fast",
            ])
        )
        try append("unix_socket_directories = '\(directory)'", to: "postgresql.conf")
        try start()
    }

    private init(port: Int, diskSize: Int? = nil) throws {
        directory = try PrivateKeyring.makeDirectory()
        (self.port, self.diskSize) = (port, diskSize)
        guardian = try Guardian(directory: directory)
        if Self.isRoot { try perform(["chown", "-R", "nobody:nogroup", directory]) }
    }

    /// The lines of `pg_hba.conf` for the socket.
    private static let socketAccess = "local all all peer map=owners\nlocal replication all peer map=owners\n"

    /// Maps the users who may log in to all roles of the tests. A map has a line for each pair.
    private func admitOwners() throws {
        let users = Self.isRoot ? ["root", "nobody"] : [try perform(["id", "--user", "--name"])]
        let roles = [Self.administrator, Self.stranger] + (1...Self.mostRoles).map(Self.role)
        let lines = users.flatMap { user in roles.map { "owners \"\(user)\" \($0)" } }
        try append(lines.joined(separator: "\n"), to: "pg_ident.conf")
        try perform(asUser(["tee", "\(data)/pg_hba.conf"]), input: Self.socketAccess)
    }

    /// Makes a standby the primary, and returns when it accepts writes.
    package func promote() throws {
        try perform(asUser([try Self.program("pg_ctl"), "promote", "--wait", "--pgdata=\(data)"]))
    }

    deinit { end() }

    /// Kills the server, and removes its files. Does nothing the second time.
    package func end() {
        let isFirst = hasEnded.withLock { hasEnded in
            defer { hasEnded = true }
            return !hasEnded
        }
        guard isFirst else { return }
        guardian.end()
        server.withLock { $0?.process }?.wait()
    }

    /// The directory of the data.
    package var data: String { "\(directory)/data" }

    // MARK: The server's process

    /// Starts the server, and returns when it accepts connections.
    package func start() throws {
        let log = try SocketPair()
        let child = try ChildProcess(
            withDisk(asUser([try Self.program("postgres"), "-D", data, "-p", String(port)])),
            environment: Self.environment,
            group: guardian.group,
            streams: .init(output: log.theirs, error: log.theirs)
        )
        close(log.theirs)
        let states = Recorder<Bool>()
        server.withLock { $0 = (child, states) }
        let path = "\(directory)/log"
        // The log must be read as long as the server runs.
        Self.onThread { [disconnections] in
            while case let line = nextLine(from: log.ours), !line.isEmpty {
                if line.hasSuffix("ready to accept connections") || line.contains("ready to accept read-only") {
                    states.record(true)
                }
                if line.contains("disconnection: "), let role = line.firstMatch(of: /user=(\S+)/)?.1 {
                    disconnections.record(String(role))
                }
                Self.append(line, toFile: path)
            }
            close(log.ours)
            states.record(false)
        }
        guard states.first(where: { _ in true }) == true else {
            throw PrivateKeyringError("PostgreSQL did not start; its log is \(path)")
        }
    }

    /// Ends the server with a signal, and returns when all its processes have ended: SIGQUIT and SIGKILL as in a crash,
    /// SIGINT after it has ended all sessions.
    package func stop(_ signal: Int32 = SIGQUIT) {
        guard let (child, states) = server.withLock({ $0 }) else { return }
        child.signal(signal)
        child.wait()
        // Processes that a killed one leaves behind keep the log open, and the server from starting.
        _ = states.first { !$0 }
    }

    /// Kills the server's first process, and starts the server again.
    package func crash() throws {
        stop(SIGKILL)
        try start()
    }

    // MARK: The small disk

    private var disk: String { "\(directory)/disk" }

    /// Returns a command with the server's disk mounted. The mount ends with the processes that see it.
    private func withDisk(_ command: [String]) throws -> [String] {
        guard let diskSize else { return command }
        try perform(["mkdir", "-p", disk])
        let script = "mount -t tmpfs -o size=\(diskSize)m tmpfs \"$0\" && chown nobody:nogroup \"$0\" && exec \"$@\""
        return ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, disk] + command
    }

    /// Fills the disk with a file.
    package func fillDisk() throws {
        try onServer("dd if=/dev/zero of=\(disk)/filler bs=4k 2>/dev/null || true")
    }

    /// Removes the file of ``fillDisk()``.
    package func emptyDisk() throws { try onServer("rm \(disk)/filler") }

    /// Runs a shell's command as a child of the server, which sees the server's disk.
    private func onServer(_ command: String) throws {
        try administerAlone("COPY (SELECT 1) TO PROGRAM 'cat >/dev/null; \(command)'", in: "postgres")
    }

    // MARK: SQL

    /// Performs statements as the administrator, and returns the output: a line for each row, columns separated by bars.
    @discardableResult
    package func administer(_ statements: String, in database: String = database) throws -> String {
        try perform(
            [
                try Self.program("psql"), "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set",
                "ON_ERROR_STOP=1", "--single-transaction", "--host=\(directory)", "--port=\(port)",
                "--username=\(Self.administrator)", database,
            ],
            input: statements
        )
    }

    /// Performs one statement outside of a transaction.
    package func administerAlone(_ statement: String, in database: String = database) throws {
        try perform([
            try Self.program("psql"), "--no-psqlrc", "--quiet", "--host=\(directory)", "--port=\(port)",
            "--username=\(Self.administrator)", "--command", statement, database,
        ])
    }

    /// The most roles of one server.
    private static let mostRoles = 400

    private static func role(_ number: Int) -> String { "person_\(number)" }

    /// Returns a name for a role that no other test uses.
    package func newRole() -> String {
        let number = roles.withLock { roles in
            roles += 1
            return roles
        }
        precondition(number <= Self.mostRoles, "More roles than the server admits")
        return Self.role(number)
    }

    /// Runs one of PostgreSQL's programs as the server's user, against this server.
    @discardableResult
    package func run(_ program: String, _ arguments: [String]) throws -> String {
        let place = ["--host=\(directory)", "--port=\(port)", "--username=\(Self.administrator)"]
        return try perform(asUser([try Self.program(program)] + place + arguments))
    }

    /// Adds a line to a file of the server's configuration.
    package func append(_ line: String, to file: String) throws {
        Self.append(line, toFile: "\(data)/\(file)")
    }

    /// Makes the server read its configuration again.
    package func reload() { server.withLock { $0?.process }?.signal(SIGHUP) }

    /// Starts PgBouncer in transaction mode before the server, and returns when it listens in the folder `pooler` of the
    /// server's directory.
    package func startPooler() throws -> ChildProcess {
        try Programs.require("pgbouncer")
        let (folder, ready) = ("\(directory)/pooler", try SocketPair())
        try perform(asUser(["mkdir", "-p", folder]))
        let settings = """
            [databases]
            * = host=\(directory) port=\(port)
            [pgbouncer]
            unix_socket_dir = \(folder)
            listen_port = \(port)
            auth_type = any
            pool_mode = transaction
            """
        // Any role may log in, as at the server.
        let text = settings.replacing("* = ", with: "* = user=\(Self.administrator) ")
        try perform(asUser(["tee", "\(folder)/pgbouncer.ini"]), input: text)
        let child = try ChildProcess(
            asUser([Programs.path(of: "pgbouncer") ?? "pgbouncer", "\(folder)/pgbouncer.ini"]),
            environment: Self.environment,
            group: guardian.group,
            streams: .init(output: ready.theirs, error: ready.theirs)
        )
        close(ready.theirs)
        let log = Recorder<String>()
        Self.onThread {
            while case let line = nextLine(from: ready.ours), !line.isEmpty { log.record(line) }
            log.record("")
            close(ready.ours)
        }
        guard log.first(where: { $0.isEmpty || $0.contains("process up") })?.isEmpty == false else {
            throw PrivateKeyringError("PgBouncer did not start: \(log.events)")
        }
        return child
    }

    // MARK: Certificates

    /// The file with the certificate of the authority that issues all certificates.
    package var rootCertificate: String { "\(directory)/certificates/root.crt" }

    /// Returns the files with a certificate and its key that name a role, or a host.
    package func certificate(of name: String) throws -> (certificate: String, key: String) {
        let base = "\(directory)/certificates/\(name)"
        try perform(
            asUser([
                "openssl", "req", "-new", "-nodes", "-newkey", "rsa:2048", "-subj", "/CN=\(name)",
                "-keyout", "\(base).key", "-out", "\(base).csr",
            ])
        )
        try perform(asUser(["tee", "\(base).ext"]), input: "subjectAltName=DNS:\(name)\n")
        try perform(
            asUser([
                "openssl", "x509", "-req", "-in", "\(base).csr", "-days", "2", "-CA", rootCertificate,
                "-CAkey", "\(directory)/certificates/root.key", "-CAcreateserial", "-extfile", "\(base).ext",
                "-out", "\(base).crt",
            ])
        )
        // libpq reads a key only if it belongs to the user or to root.
        try perform(["cp", "\(base).key", "\(base).client.key"])
        try perform(["chmod", "600", "\(base).client.key"])
        return ("\(base).crt", "\(base).client.key")
    }

    private func makeCertificates() throws {
        try perform(asUser(["mkdir", "\(directory)/certificates"]))
        try perform(
            asUser([
                "openssl", "req", "-new", "-x509", "-nodes", "-newkey", "rsa:2048", "-days", "2", "-subj",
                "/CN=Test CA",
                "-keyout", "\(directory)/certificates/root.key", "-out", rootCertificate,
            ])
        )
        let own = try certificate(of: "localhost")
        let base = "\(directory)/certificates/localhost"
        for line in [
            "listen_addresses = '127.0.0.1'", "ssl = on", "ssl_cert_file = '\(own.certificate)'",
            "ssl_key_file = '\(base).key'", "ssl_ca_file = '\(rootCertificate)'",
        ] {
            try append(line, to: "postgresql.conf")
        }
        try perform(
            asUser(["tee", "\(data)/pg_hba.conf"]),
            input: Self.socketAccess + "hostssl all all 127.0.0.1/32 cert\n"
        )
    }

    // MARK: Programs

    private static let isRoot = geteuid() == 0
    private static let environment = ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8"]

    private func asUser(_ command: [String]) -> [String] {
        guard Self.isRoot else { return command }
        return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] + command
    }

    /// Returns the path of one of PostgreSQL's programs. Debian keeps them in a folder for each version.
    private static func program(_ name: String) throws -> String {
        let versions = stride(from: 30, through: 13, by: -1)
        let paths = versions.map { "/usr/lib/postgresql/\($0)/bin/\(name)" }
        if let path = paths.first(where: Programs.isExecutable) ?? Programs.path(of: name) { return path }
        throw PrivateKeyringError("\(name) is not installed; on Debian and Ubuntu: sudo apt-get install postgresql")
    }

    @discardableResult
    package func perform(_ command: [String], input: String = "") throws -> String {
        let number = runs.withLock { runs in
            runs += 1
            return runs
        }
        let result = try ProcessResult(
            of: command,
            environment: Self.environment,
            group: guardian.group,
            input: input,
            files: "\(directory)/run-\(number)"
        )
        guard result.status == 0 else {
            let shown = result.standardOutput + result.standardError
            throw PrivateKeyringError("\(command[0]) ended with \(result.status): \(shown)")
        }
        return result.standardOutput.hasSuffix("\n") ? String(result.standardOutput.dropLast()) : result.standardOutput
    }

    private static func append(_ line: String, toFile path: String) {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard file >= 0 else { return }
        try? Files.write(Array("\(line)\n".utf8), to: file)
        close(file)
    }

    private static func onThread(_ work: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "postgres").async(execute: work)
    }
}
