import Glibc
import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests clients that are killed at each statement of a change, and connections that end at the COMMIT, on a real server.
struct StepTests {
    /// A person's two devices, of which the processes of the first connect through a proxy.
    private func world() throws -> (proxy: PostgresProxy, devices: [FileDevice]) {
        let person = try PostgresFleet()
        let devices = try FileDevice.fleet(of: 2, for: person)
        let proxy = try PostgresProxy(before: person.server)
        try devices[0].connect(through: proxy.directory)
        return (proxy, devices)
    }

    @Test(
        "A client killed at any statement of a change leaves it whole or undone",
        .timeLimit(.minutes(5)),
        arguments: PostgresProxy.Moment.allCases
    )
    func killedInChange(_ moment: PostgresProxy.Moment) throws {
        let (proxy, devices) = try world()
        defer { proxy.close() }
        let (own, other) = (devices[0].store(), devices[1].store())
        var present = try UserRecords.signedIn("alice")
        try other.change(sharedKey, .write(present))
        for number in 1... {
            let next = try UserRecords.signedIn("alice \(number)")
            let peer = try devices[0].start("write")
            proxy.end(moment, where: { place, _ in place == number }, peer.killing)
            peer.send(String(decoding: next, as: UTF8.self))
            let isWritten = peer.line() == "written"
            let statements = proxy.disarm()
            if isWritten || (moment == .after && statements.last == "COMMIT") { present = next }
            #expect(try other.payload(sharedKey) == present, "killed \(moment) \(statements.last ?? "")")
            #expect(try own.payload(sharedKey) == present, "killed \(moment) \(statements.last ?? "")")
            // The killed client's locks are free.
            try other.change(sharedKey, .write(present))
            if isWritten {
                #expect(statements.count < number && statements.last == "COMMIT")
                break
            }
        }
    }

    @Test(
        "After a client is killed in an exchange, no device presents used tokens",
        .timeLimit(.minutes(5)),
        arguments: PostgresProxy.Moment.allCases
    )
    func killedInExchange(_ moment: PostgresProxy.Moment) throws {
        let (proxy, devices) = try world()
        defer { proxy.close() }
        let (own, other) = (devices[0].store(), devices[1].store())
        for number in 1... {
            let payload = try UserRecords.signedIn("alice")
            try other.change(sharedKey, .write(payload))
            let peer = try devices[0].start("turn")
            proxy.end(moment, where: { place, _ in place == number }, peer.killing)
            peer.send("")
            // The issuer has exchanged the tokens once the client has the new ones.
            var exchanges = 0
            if peer.line() == "turn" {
                exchanges = 1
                peer.send("")
                peer.send(String(decoding: try UserRecords.refreshed(payload), as: UTF8.self))
                _ = peer.line()
            }
            // The turn is free when the client has released it, or is gone.
            let isFree = try other.canExchange()
            let statements = proxy.disarm()
            let place = "killed \(moment) \(statements.last ?? "")"
            if !isFree { #expect(try own.canExchange(), "\(place)") }
            // The client's device has the new tokens from before the first statement of the change.
            #expect(try UserRecords.users(own.payload(sharedKey)) == ["alice": exchanges], "\(place)")
            #expect(try UserRecords.users(other.payload(sharedKey)) == ["alice": exchanges], "\(place)")
            if statements.count < number {
                #expect(isFree && exchanges == 1)
                break
            }
        }
    }

    @Test(
        "A server killed at any statement keeps acknowledged changes, and no parts",
        .timeLimit(.minutes(5)),
        arguments: PostgresProxy.Moment.allCases
    )
    func killedServer(_ moment: PostgresProxy.Moment) throws {
        let server = try PrivatePostgres()
        defer { server.end() }
        try server.administer(Fleet.schema)
        let person = try PostgresFleet(on: server)
        let proxy = try PostgresProxy(before: server)
        defer { proxy.close() }
        let (device, other) = (try person.firstDevice(), TestDevice())
        try device.enrol(other, at: person.address)
        try device.move(to: proxy.directory)
        var present = try UserRecords.signedIn("alice")
        try other.store().change(sharedKey, .write(present))
        for number in 1... {
            let next = try UserRecords.signedIn("alice \(number)")
            proxy.end(moment, where: { place, _ in place == number }) { server.stop(SIGKILL) }
            let isWritten = (try? device.store().change(sharedKey, .write(next))) != nil
            let statements = proxy.disarm()
            if isWritten || (moment == .after && statements.last == "COMMIT") { present = next }
            if statements.count >= number { try server.start() }
            #expect(try other.store().payload(sharedKey) == present, "killed \(moment) \(statements.last ?? "")")
            #expect(try device.store().payload(sharedKey) == present, "killed \(moment) \(statements.last ?? "")")
            if statements.count < number {
                #expect(isWritten)
                break
            }
        }
    }

    @Test("In a turn, no copy is read when the connections end")
    func readInTurn() throws {
        let person = try PostgresFleet()
        let proxy = try PostgresProxy(before: person.server)
        let (device, other) = (try person.firstDevice(), TestDevice())
        try device.enrol(other, at: person.address)
        try device.move(to: proxy.directory)
        let store = device.store()
        let payload = try UserRecords.signedIn("alice")
        try store.change(sharedKey, .write(payload))
        try other.store().change(sharedKey, .write(try UserRecords.refreshed(payload)))
        let turn = try store.acquire("refresh", for: sharedKey, by: .patient)
        proxy.close()
        expectFailure(\RecordStoreError.code, .unavailable) { _ = try store.payload(sharedKey) }
        turn.release()
        #expect(try UserRecords.users(store.payload(sharedKey)) == ["alice": 0])
    }

    @Test(
        "A connection that ends at the COMMIT loses no sign-out and no tokens",
        arguments: PostgresProxy.Moment.allCases
    )
    func cutCommit(_ moment: PostgresProxy.Moment) throws {
        let person = try PostgresFleet()
        let proxy = try PostgresProxy(before: person.server)
        defer { proxy.close() }
        let (device, other) = (try person.firstDevice(), TestDevice())
        try device.enrol(other, at: person.address)
        try device.move(to: proxy.directory)
        let store = device.store()
        let payload = try UserRecords.signedIn("alice")
        try store.change(sharedKey, .write(payload))

        proxy.end(moment) { _, statement in statement == "COMMIT" }
        let error = expectFailure(\RecordStoreError.code, .unavailable) {
            try store.change(sharedKey, .write(try UserRecords.refreshed(payload)))
        }
        #expect(error?.outcomeIsUnknown == true && proxy.disarm().last == "COMMIT")
        let isDone = moment == .after ? 1 : 0
        #expect(try UserRecords.users(other.store().payload(sharedKey)) == ["alice": isDone])
        // The tokens are in the copy, and reach the server with the next call.
        #expect(try UserRecords.users(device.store().payload(sharedKey)) == ["alice": 1])
        #expect(try UserRecords.users(other.store().payload(sharedKey)) == ["alice": 1])

        proxy.end(moment) { _, statement in statement == "COMMIT" }
        try store.change(sharedKey, .delete)
        #expect(proxy.disarm().last == "COMMIT")
        #expect(try device.store().payload(sharedKey) == nil)
        #expect(try other.store().payload(sharedKey) == nil)
    }
}

extension FleetRecordStore {
    /// Takes the turn to exchange tokens, and releases it; false if another device's exchange was interrupted.
    fileprivate func canExchange() throws -> Bool {
        do throws(RecordStoreError) {
            try acquire("refresh", for: sharedKey, by: .patient).release()
            return true
        } catch {
            guard error.ofFleet?.code == .exchangeInterrupted else { throw error }
            return false
        }
    }
}
