import FoundationEssentials
import Glibc
import TestSupport

/// Servers that were not written for these tests, and their files. They end with the fixture.
final class ForeignServers: Sendable {
    let home: PrivateKeyring

    init() throws {
        home = try PrivateKeyring(state: .noDaemon)
    }

    /// The file with the certificate of the test's own authority.
    var authorities: String { "\(home.directory)/authority.pem" }

    /// Creates an authority, and a certificate for `name` in OpenSSL's notation.
    func makeCertificate(for name: String, days: Int = 1) throws {
        try run(
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "1",
            "-subj",
            "/CN=A test's authority",
            "-addext",
            "keyUsage=critical,keyCertSign",
            "-keyout",
            "\(home.directory)/authority.key",
            "-out",
            authorities
        )
        try run(
            "openssl",
            "req",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-subj",
            "/CN=A test's server",
            "-addext",
            "subjectAltName=\(name)",
            "-keyout",
            "\(home.directory)/server.key",
            "-out",
            "\(home.directory)/server.csr"
        )
        try run(
            "openssl",
            "x509",
            "-req",
            "-in",
            "\(home.directory)/server.csr",
            "-CA",
            authorities,
            "-CAkey",
            "\(home.directory)/authority.key",
            "-CAcreateserial",
            "-days",
            "\(days)",
            "-copy_extensions",
            "copy",
            "-out",
            "\(home.directory)/server.pem"
        )
    }

    private func run(_ program: String, _ arguments: String...) throws {
        try Programs.require(program)
        let result = try home.run(program, arguments)
        guard result.status == 0 else { throw ServerError("\(program): \(result.standardError)") }
    }

    /// Starts Python's own server over TLS with the created certificate. Returns its port.
    func startTLS(on host: String = "127.0.0.1") throws -> UInt16 {
        let script = """
            import http.server, ssl, sys
            class Handler(http.server.SimpleHTTPRequestHandler):
                def do_GET(self):
                    self.send_response(200)
                    self.end_headers()
                    self.wfile.write(b"secure")
            server = http.server.ThreadingHTTPServer(("\(host)", 0), Handler)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain("\(home.directory)/server.pem", "\(home.directory)/server.key")
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
            print(server.server_port, flush=True)
            server.serve_forever()
            """
        // The system's: another one may need variables that the home does not pass on.
        try Programs.require("/usr/bin/python3")
        let output = try SocketPair()
        defer { close(output.ours) }
        _ = try home.start("/usr/bin/python3", ["-c", script], output: output.theirs)
        close(output.theirs)
        guard let port = UInt16(nextLine(from: output.ours)) else { throw ServerError("python3 did not start") }
        return port
    }

    /// Starts tinyproxy, which connects to this machine's own servers if `connects` is true and to no port otherwise.
    /// Returns its port.
    func startProxy(connects: Bool = true) throws -> UInt16 {
        try Programs.require("tinyproxy")
        // tinyproxy does not support port 0, so the port is one that was free a moment ago.
        let port = try RawHTTPServer(200).port
        let configuration = """
            Port \(port)
            Listen 127.0.0.1
            Timeout 60
            MaxClients 20
            LogFile "\(home.directory)/proxy.log"
            LogLevel Connect
            \(connects ? "" : "ConnectPort 1")
            """
        try write(configuration + "\n", to: "\(home.directory)/proxy.conf")
        _ = try home.start("tinyproxy", ["-d", "-c", "\(home.directory)/proxy.conf"])
        try waitUntilListening(port)
        return port
    }

    /// The log of tinyproxy.
    var proxyLog: String { (try? String(contentsOfFile: "\(home.directory)/proxy.log", encoding: .utf8)) ?? "" }

    private func write(_ text: String, to path: String) throws {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
    }

    /// Connects until a connection is accepted; the program was just started and gives no sign when it is ready.
    private func waitUntilListening(_ port: UInt16) throws {
        let end = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < end {
            let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(socket) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isConnected = unsafe withUnsafePointer(to: &address) { address in
                unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe connect(socket, address, size) == 0
                }
            }
            if isConnected { return }
            usleep(10_000)
        }
        throw ServerError("no server listens on port \(port)")
    }
}

struct ServerError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
