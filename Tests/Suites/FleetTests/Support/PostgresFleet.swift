import SharedAuthFleet
import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// A person on a private PostgreSQL server, and the person's devices.
struct PostgresFleet {
    let server: PrivatePostgres
    let role: String

    private static let schemaInstalled = Result {
        let server = try PrivatePostgres.shared.get()
        try server.administer(Fleet.schema)
        return server
    }

    /// Adds a person to the server that tests share.
    init() throws {
        try self.init(on: try Self.schemaInstalled.get())
    }

    /// Adds a person to a server that has the schema.
    init(on server: PrivatePostgres) throws {
        self.server = server
        role = server.newRole()
        try server.administer(
            """
            CREATE ROLE \(role) LOGIN IN ROLE sharedauth_person;
            INSERT INTO sharedauth_fleet.person (role) VALUES ('\(role)');
            """
        )
    }

    /// A person, or a device, whose role exists.
    init(of role: String, on server: PrivatePostgres) { (self.server, self.role) = (server, role) }

    var address: ServerAddress {
        ServerAddress(host: server.directory, port: server.port, database: PrivatePostgres.database, role: role)
    }

    /// Performs statements in a session of the person's role, each alone.
    ///
    /// - Returns: The SQLSTATE of the first that is refused; nil if none is.
    func refusal(of statements: String..., in database: String = PrivatePostgres.database) -> String? {
        do {
            try server.run(
                "psql",
                ["--username=\(role)", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--set=VERBOSITY=sqlstate"]
                    + statements.map { "--command=\($0)" } + [database]
            )
            return nil
        } catch {
            return "\(error)".firstMatch(of: /(?:ERROR|FATAL):  ([0-9A-Z]{5})/).map { String($0.1) } ?? "\(error)"
        }
    }

    /// Returns a device that began the fleet.
    func firstDevice(turnLimit: Duration = .seconds(100)) throws -> TestDevice {
        let device = TestDevice(turnLimit: turnLimit)
        try device.fleet.begin(at: address, deviceName: "first", by: .patient)
        return device
    }
}

/// A device with a separate local store.
struct TestDevice {
    let local: InMemoryRecordStore
    let records: LocalRecords
    let fleet: Fleet
    private let makeServer: @Sendable (ServerAddress) -> any FleetServer

    init(turnLimit: Duration = .seconds(100)) {
        self.init { PostgresServer(address: $0, turnLimit: turnLimit) }
    }

    init(server: @escaping @Sendable (ServerAddress) -> any FleetServer) {
        local = InMemoryRecordStore()
        records = LocalRecords(local, machineID: "machine")
        fleet = Fleet(records, server: server)
        makeServer = server
    }

    /// Returns a store as a process of the device has it.
    func store() -> FleetRecordStore { FleetRecordStore(records, server: makeServer) }

    /// Enrols another device.
    func enrol(_ other: TestDevice, named name: String = "second", at address: ServerAddress) throws {
        try fleet.enrol(other.fleet, named: name, at: address)
    }
}

extension RecordStore {
    func payload(_ key: RecordKey) throws -> [UInt8]? {
        switch try read(key, by: .patient) {
        case .none: nil
        case .whole(let record): record.payload
        case .empty, .damaged, .newer: throw RecordStoreError(.damaged, "The record is damaged.")
        }
    }

    func change(_ key: RecordKey, _ change: RecordChange) throws {
        try update(key, by: .patient) { _ in change }
    }
}

/// A record that devices share.
let sharedKey = RecordKey(scope: .group("group.example.fleet"), project: "fleet", instance: "default", kind: "user")
