import DesktopSupport
import Foundation
import Glibc
import SecretService
import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests which process of a session listens to the server, and how the others learn of changes.
struct ListenerTests {
    @Test(
        "One process of a session is connected; another one listens when it is killed",
        .timeLimit(.minutes(4))
    )
    func oneListener() throws {
        let session = try Session()
        let peers = try (0..<5).map { _ in try session.start() }
        for peer in peers { #expect(peer.line() == "none") }
        try session.other.change(sharedKey, .write(Array("first".utf8)))
        for peer in peers { #expect(peer.line() == "first") }
        #expect(try session.waitForConnections(1))

        // The other device's store has a connection, too, and none of the five opens another one.
        try session.other.change(sharedKey, .write(Array("second".utf8)))
        for peer in peers { #expect(peer.line() == "second") }
        let connections = try session.connections
        #expect(connections.count <= 2, "\(connections)")

        let listener = try #require(peers.first { $0.id == session.listener })
        listener.end()
        try session.other.change(sharedKey, .write(Array("third".utf8)))
        let rest = peers.filter { $0 !== listener }
        for peer in rest { #expect(peer.line() == "third") }
        #expect(rest.contains { $0.id == session.listener })
        #expect(try session.waitForConnections(1))
    }

    @Test("A stopped listener delays a change until another process reads the record", .timeLimit(.minutes(4)))
    func stoppedListener() throws {
        let session = try Session()
        let peers = try (0..<3).map { _ in try session.start(confirming: "1") }
        for peer in peers { #expect(peer.line() == "none") }
        try session.other.change(sharedKey, .write(Array("first".utf8)))
        for peer in peers { #expect(peer.line() == "first") }
        let listener = try #require(peers.first { $0.id == session.listener })
        try session.stop(listener)
        try session.other.change(sharedKey, .write(Array("second".utf8)))
        for peer in peers where peer !== listener { #expect(peer.line() == "second") }
        #expect(listener.id == session.listener)
        listener.signal(SIGCONT)
        #expect(listener.line() == "second")
    }

    @Test("Without a bus, each process listens for itself", .timeLimit(.minutes(4)))
    func noBus() throws {
        let session = try Session(hasBus: false)
        let peers = try (0..<2).map { _ in try session.start() }
        for peer in peers { #expect(peer.line() == "none") }
        for text in ["first", "second"] {
            try session.other.change(sharedKey, .write(Array(text.utf8)))
            for peer in peers { #expect(peer.line() == text) }
        }
    }

    @Test("A process that listens carries out the sign-outs of other processes", .timeLimit(.minutes(2)))
    func othersSignOuts() throws {
        let server = HostileServer()
        let one = try TestDevice.on(server)
        let two = try TestDevice.on(server, enrolledBy: one)
        try one.store().change(sharedKey, .write(try UserRecords.signedIn("alice")))
        let listening = FleetRecordStore(one.records, ListenerTimes(confirmation: .milliseconds(100))) { _ in server }
        let watch = try listening.watch(sharedKey, by: .patient) { _ in }
        server.isAway = true
        try one.store().change(sharedKey, .delete)
        server.isAway = false
        let (other, events) = (two.store(), Recorder<RecordEvent>())
        let otherWatch = try other.watch(sharedKey, by: .patient) { events.record($0) }
        while try other.payload(sharedKey) != nil { try #require(events.take { $0 == .changed } != nil) }
        watch.cancel()
        otherWatch.cancel()
    }

    @Test("Confirmations stay in memory until the server is away", .timeLimit(.minutes(2)))
    func confirmations() throws {
        let server = HostileServer()
        let device = try TestDevice.on(server)
        let store = FleetRecordStore(device.records, ListenerTimes(confirmation: .milliseconds(20))) { _ in server }
        let events = Recorder<RecordEvent>()
        let watch = try store.watch(sharedKey, by: .patient) { events.record($0) }
        try store.change(sharedKey, .write([1]))
        #expect(try store.payload(sharedKey) == [1])
        while !store.feed.covers(sharedKey) { try #require(events.take { $0 == .changed } != nil) }
        let key = device.records.copyKey(of: sharedKey)
        _ = store.confirmation(after: .distantPast)
        let copy = try device.local.payload(key)
        var latest = Date.distantPast
        for _ in 1...5 { latest = store.confirmation(after: latest) }
        #expect(try device.local.payload(key) == copy)
        #expect(try store.payload(sharedKey) == [1])
        #expect(try #require(store.status(by: .patient).fleet?.asOf) >= latest)

        server.isAway = true
        while try device.records.copy(of: sharedKey, by: .patient).isConfirmed {
            try #require(events.take { $0 == .changed } != nil)
        }
        #expect(try #require(device.records.copy(of: sharedKey, by: .patient).asOf) >= latest)
        #expect(try store.payload(sharedKey) == [1])
        #expect(try #require(store.asOf(sharedKey)) >= latest)
        watch.cancel()
    }

    @Test("The elected process replies; nobody replies for a name that is free")
    func replies() throws {
        let bus = try PrivateKeyring(state: .noDaemon)
        let (election, other) = (ListenerElection(on: bus.makeService()), ListenerElection(on: bus.makeService()))
        guard case .elected(let seat) = election.hold("one", by: .patient, waiting: {}) else {
            Issue.record("not elected")
            return
        }
        #expect(other.isAnswered("one", by: .patient) && election.isAnswered("one", by: .patient))
        #expect(!other.isAnswered("two", by: .patient))
        seat.release()
    }

    @Test("A read shows no record that is earlier than one which the process has seen", .timeLimit(.minutes(2)))
    func earlierCopy() throws {
        let device = try TestDevice.on(HostileServer())
        let (store, events) = (device.store(), Recorder<RecordEvent>())
        let watch = try store.watch(sharedKey, by: .patient) { events.record($0) }
        try store.change(sharedKey, .write([1]))
        #expect(try store.payload(sharedKey) == [1])
        while !store.feed.covers(sharedKey) { try #require(events.take { $0 == .changed } != nil) }
        let copy = try device.local.read(device.records.copyKey(of: sharedKey), by: .patient)
        try store.change(sharedKey, .write([2]))
        // As if the second copy had not been written.
        device.local.put(copy, under: device.records.copyKey(of: sharedKey))
        #expect(try store.payload(sharedKey) == [2])
        watch.cancel()
    }
}

extension FleetRecordStore {
    /// Waits for a confirmation of the shared record that is later than a time.
    fileprivate func confirmation(after time: Date) -> Date {
        while true {
            if let latest = feed.confirmation(of: sharedKey), latest > time { return latest }
            sched_yield()
        }
    }
}

/// A session of a device whose processes print a shared record, and another device that changes it.
private struct Session {
    let other: FleetRecordStore
    private let person: PostgresFleet
    private let device: FileDevice
    private let bus: PrivateKeyring
    private let hasBus: Bool
    private let name: String

    init(hasBus: Bool = true) throws {
        person = try PostgresFleet()
        let devices = try FileDevice.fleet(of: 2, for: person)
        (device, other) = (devices[0], devices[1].store())
        bus = try PrivateKeyring(state: .noDaemon)
        self.hasBus = hasBus
        name = ListenerElection.name(of: try #require(device.store().deviceID))
    }

    func start(confirming seconds: String = "60") throws -> FleetProcess {
        var environment = bus.environment
        if !hasBus { environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nonexistent" }
        return try FleetProcess([device.directory, "watch", seconds], environment: environment)
    }

    /// Stops a process while it does not hold the lock of its device's copy, which would keep the others from writing.
    func stop(_ process: FleetProcess) throws {
        try device.store().records.updateCopy(of: sharedKey, by: .patient) { _ in
            process.stop()
        }
    }

    /// The id of the process that listens.
    var listener: Int32? {
        guard case .process(let process) = try? bus.makeService().holder(ofName: name, by: .patient) else { return nil }
        return process.processID
    }

    /// The connections of the person's devices: the start of each, and its last statement.
    var connections: [String] {
        get throws {
            let columns = "backend_start || ' ' || state_change || ' ' || state || ' ' || left(query, 100)"
            return try person.server.administer(
                "SELECT \(columns) FROM pg_stat_activity WHERE usename = '\(person.role)'"
            ).split(separator: "\n").map(String.init)
        }
    }

    /// Waits until the devices have no more than this number of connections; false if none of the others ends within two
    /// minutes. A connection for calls is closed after ten seconds.
    func waitForConnections(_ count: Int) throws -> Bool {
        while try connections.count > count {
            guard person.server.disconnections.take(until: { $0 == person.role }) != nil else { return false }
        }
        return try connections.count == count
    }
}
