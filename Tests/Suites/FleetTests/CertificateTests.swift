import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests connections over TLS, where both sides have certificates.
struct CertificateTests {
    private let server: PrivatePostgres
    private let address: ServerAddress

    private static let ownServer = Result {
        let server = try PrivatePostgres(certificates: true)
        try server.administer(Fleet.schema)
        return server
    }

    init() throws {
        server = try Self.ownServer.get()
        let person = try PostgresFleet(on: server)
        let own = try server.certificate(of: person.role)
        address = ServerAddress(
            host: "localhost",
            port: server.port,
            database: PrivatePostgres.database,
            role: person.role,
            rootCertificate: server.rootCertificate,
            certificate: own.certificate,
            privateKey: own.key
        )
    }

    private func expectRefusal(_ code: FleetError.Code, _ change: (inout ServerAddress) -> Void) {
        var address = address
        change(&address)
        expectFailure(\FleetError.code, code, without: ["127.0.0.1", address.role, server.directory]) {
            _ = try PostgresServer(address: address).connect(by: .patient)
        }
    }

    @Test("A client with its certificate shares records with a verified server")
    func verified() throws {
        let device = TestDevice()
        try device.fleet.begin(at: address, deviceName: "first", by: .patient)
        try device.store().change(sharedKey, .write([1]))
        #expect(try device.store().payload(sharedKey) == [1])
    }

    @Test("A server whose certificate has another name or another issuer is refused")
    func wrongServer() throws {
        // The certificate names localhost.
        expectRefusal(.certificate) { $0.host = "127.0.0.1" }
        expectRefusal(.certificate) { $0.rootCertificate = $0.certificate }
        expectRefusal(.certificate) { $0.rootCertificate = "/nonexistent/root.crt" }
        var unverified = address
        (unverified.host, unverified.allowsUnverifiedServer) = ("127.0.0.1", true)
        unverified.rootCertificate = "/nonexistent/root.crt"
        try PostgresServer(address: unverified).connect(by: .patient).close()
    }

    @Test("A client without a certificate, or with another person's, is refused")
    func wrongClient() throws {
        let other = try server.certificate(of: "mallory")
        expectRefusal(.notAdmitted) { ($0.certificate, $0.privateKey) = (other.certificate, other.key) }
        expectRefusal(.notAdmitted) {
            ($0.certificate, $0.privateKey) = ("/nonexistent/client.crt", "/nonexistent/client.key")
        }
    }

    @Test("An unknown host and a port without a server count as away")
    func away() {
        expectRefusal(.away) { $0.host = "no-such-host.invalid" }
        expectRefusal(.away) { $0.port = 1 }
    }

    @Test("A silent server holds no call beyond its deadline", .timeLimit(.minutes(1)))
    func silentServer() throws {
        let listener = try SilentListener()
        var silent = address
        silent.port = listener.port
        let began = ContinuousClock.now
        expectFailure(\FleetError.code, .away) {
            _ = try PostgresServer(address: silent).connect(by: .after(.milliseconds(300)))
        }
        #expect(ContinuousClock.now - began < .hang)
    }
}
