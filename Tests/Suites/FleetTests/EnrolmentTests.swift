import Crypto
import DesktopSupport
import Foundation
import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests how a device of the fleet admits a new one with a code.
struct EnrolmentTests {
    private let server = HostileServer()
    private let host: TestDevice
    private let address = ServerAddress(host: "server.example", database: "fleet", role: "alice")

    init() throws { host = try TestDevice.on(server) }

    private func guest() -> TestDevice { TestDevice { [server] _ in server } }

    private func names() throws -> [String] { try host.fleet.devices(by: .patient).map(\.name) }

    private func isEnrolled(_ device: TestDevice) throws -> Bool { try device.fleet.enrolment(by: .patient) != nil }

    /// Begins to join, on another thread.
    private func joining(
        _ guest: TestDevice,
        _ code: EnrolmentCode,
        by deadline: Deadline = .patient
    ) -> BlockingCall<Void> {
        BlockingCall { [address] () throws(FleetError) in
            try guest.fleet.join(at: address, with: code, deviceName: "guest", by: deadline)
        }
    }

    private func admitting(_ invitation: Fleet.Invitation) -> BlockingCall<Fleet.Device?> {
        BlockingCall { () throws(FleetError) in try invitation.admitDevice(by: .patient) }
    }

    /// Waits until a guest has left a letter that the host can read.
    private func waitForRequest(_ code: EnrolmentCode) {
        server.wait { code.request(in: $0.records[Enrolment.guest]) != nil }
    }

    private func join(_ guest: TestDevice, _ code: EnrolmentCode) throws {
        try guest.fleet.join(at: address, with: code, deviceName: "guest", by: .patient)
    }

    @Test("A code is good for one device, which the host learns")
    func oneDevice() throws {
        let invitation = try host.fleet.inviteDevice(by: .patient)
        let guests = [guest(), guest()]
        let calls = guests.map { joining($0, invitation.code) }
        waitForRequest(invitation.code)
        let admitted = try #require(try invitation.admitDevice(by: .patient))
        let failures = calls.compactMap { call in failure { try call.value() } }
        #expect(failures.map(\.code) == [.wrongCode] && failures.allSatisfy { !$0.outcomeIsUnknown })
        #expect(try guests.map(isEnrolled).sorted { $0 && !$1 } == [true, false])
        #expect(try host.fleet.devices(by: .patient).map(\.id) == [host.id, admitted.id])
        #expect(admitted.name == "guest" && !admitted.isThisDevice)
        #expect(failure { try join(guest(), invitation.code) }?.code == .wrongCode)
        #expect(failure { _ = try invitation.admitDevice(by: .patient) } == nil)
        #expect(try names() == ["first", "guest"])
    }

    @Test("Nothing on the server was encrypted for a code")
    func code() throws {
        let invitation = try host.fleet.inviteDevice(by: .patient)
        let new = guest()
        try host.store().change(sharedKey, .write(try UserRecords.signedIn("alice")))
        let call = joining(new, invitation.code)
        waitForRequest(invitation.code)
        let letter = try #require(invitation.code.request(in: server.contents.records[Enrolment.guest]))
        _ = try invitation.admitDevice(by: .patient)
        try call.value()
        let keys = try #require(try new.records.device(by: .patient)).keys
        #expect(letter == NewDevice(keys, named: "guest"))
        let answer = try #require(server.contents.records[Enrolment.host]?.sealed)
        let admitted = invitation.code.open(Enrolment.Invitation.self, answer, at: Enrolment.host)?.admitted
        #expect(admitted?.id == keys.id)
        #expect(server.contents.records[Enrolment.guest]?.sealed == nil)
        for header in try server.contents.headers.map({ try FleetHeader($0) }) {
            #expect(header.body.invitation == nil)
            let known = [keys, try #require(try host.records.device(by: .patient)).keys].map(
                \.agreement.publicKey.rawRepresentation
            )
            #expect(header.body.devices.allSatisfy { known.contains($0.agreement) })
        }
    }

    @Test("A code ends after its time, and by a newer one, and when it is withdrawn")
    func ends() throws {
        let ended = try host.fleet.inviteDevice(for: .zero, by: .patient)
        #expect(failure { _ = try ended.admitDevice(by: .patient) }?.code == .endedCode)
        // A guest need not wait for an answer.
        #expect(server.contents.records[Enrolment.host]?.sealed == nil)
        let former = try host.fleet.inviteDevice(by: .patient)
        let waiting = admitting(former)
        let withdrawn = try host.fleet.inviteDevice(by: .patient)
        #expect(failure { _ = try waiting.value() }?.code == .endedCode)
        try former.withdraw(by: .patient)
        let waitingToo = admitting(withdrawn)
        try withdrawn.withdraw(by: .patient)
        #expect(failure { _ = try waitingToo.value() }?.code == .endedCode)
        for code in [ended.code, former.code, withdrawn.code, EnrolmentCode()] {
            #expect(failure { try join(guest(), code) }?.code == .wrongCode)
        }
        #expect(try names() == ["first"])
        #expect(server.contents.headers.count == 1)
    }

    @Test("A wait ends at its deadline, and can be continued")
    func continued() throws {
        let invitation = try host.fleet.inviteDevice(by: .patient)
        let end = Cancellation()
        let interrupted = BlockingCall { () throws(FleetError) in
            try invitation.admitDevice(by: .after(.patience, cancelledBy: end))
        }
        end.cancel()
        #expect(try interrupted.value() == nil)
        let new = guest()
        let call = joining(new, invitation.code)
        #expect(try invitation.admitDevice(by: .patient)?.name == "guest")
        try call.value()
        #expect(try new.fleet.devices(by: .patient).count == 2)
    }

    @Test("A guest that gives up takes its letter away, so no host admits it later")
    func givesUp() throws {
        let invitation = try host.fleet.inviteDevice(by: .patient)
        let new = guest()
        let call = joining(new, invitation.code, by: .after(.seconds(2)))
        let error = try #require(failure { try call.value() })
        #expect(error.code == .wrongCode && !error.outcomeIsUnknown)
        #expect(try !isEnrolled(new))
        #expect(server.contents.records[Enrolment.guest]?.sealed == nil)
        let other = guest()
        let second = joining(other, invitation.code)
        #expect(try invitation.admitDevice(by: .patient) != nil)
        try second.value()
        #expect(try names() == ["first", "guest"])
    }

    @Test("A guest that gives up while it is admitted is enrolled, or not listed")
    func race() throws {
        var random = SeededRandom(seed: 7)
        var outcomes: Set<Bool> = []
        for round in 0..<60 where round < 20 || outcomes.count < 2 {
            let new = guest()
            let invitation = try host.fleet.inviteDevice(by: .patient)
            // The last rounds give a busy machine the time to enrol a device.
            let limit = Int.random(in: 0...(round < 20 ? 40 : 100 * round), using: &random)
            let call = joining(new, invitation.code, by: .after(.milliseconds(limit)))
            let waiting = admitting(invitation)
            let error = failure { try call.value() }
            if error != nil { try? invitation.withdraw(by: .patient) }
            _ = try? waiting.value()
            let isListed = try host.fleet.devices(by: .patient).count > 1
            #expect(try isEnrolled(new) == isListed || error?.outcomeIsUnknown == true, "\(String(describing: error))")
            outcomes.insert(isListed)
            for device in try host.fleet.devices(by: .patient) where !device.isThisDevice {
                try host.fleet.remove(device.id, by: .patient)
            }
        }
        #expect(outcomes == [true, false])
    }

    @Test("A connection that breaks when the host answers lists the guest once", arguments: [true, false])
    func brokenAnswer(_ isCommitted: Bool) throws {
        let invitation = try host.fleet.inviteDevice(by: .patient)
        let new = guest()
        let call = joining(new, invitation.code)
        waitForRequest(invitation.code)
        server.breakConnection(isCommitted ? .afterCommit : .beforeCommit)
        let admitted = try #require(try invitation.admitDevice(by: .patient))
        try call.value()
        #expect(try new.records.device(by: .patient)?.keys.id == admitted.id)
        #expect(try names() == ["first", "guest"])
        try new.store().change(sharedKey, .write(try UserRecords.signedIn("alice")))
        #expect(try host.store().payload(sharedKey) != nil)
    }

    @Test("A host waits for a server that is away")
    func away() throws {
        let invitation = try host.fleet.inviteDevice(by: .patient)
        server.isAway = true
        let waiting = admitting(invitation)
        server.isAway = false
        let call = joining(guest(), invitation.code)
        #expect(try waiting.value() != nil)
        try call.value()
    }

    @Test("Bytes in the places of the letters stop no enrolment")
    func garbage() throws {
        let garbage = ServerRecord(epoch: .max, sealed: [1, 2, 3], exchanging: "nobody")
        server.change { $0.records = [Enrolment.host: garbage, Enrolment.guest: garbage] }
        let invitation = try host.fleet.inviteDevice(by: .patient)
        let new = guest()
        let call = joining(new, invitation.code)
        for _ in 1...3 {
            waitForRequest(invitation.code)
            server.change { $0.records[Enrolment.guest] = garbage }
        }
        waitForRequest(invitation.code)
        #expect(try invitation.admitDevice(by: .patient) != nil)
        try call.value()
        #expect(try names() == ["first", "guest"])
    }

    @Test("A host admits nothing but a new device with usable keys")
    func requests() throws {
        let invitation = try host.fleet.inviteDevice(by: .patient)
        let good = NewDevice(DeviceKeys(), named: "new")
        func isRead(_ change: (inout [String: String]) -> Void) throws -> Bool {
            var members = [
                "id": good.id, "agreement": good.agreement.base64EncodedString(),
                "signing": good.signing.base64EncodedString(), "name": good.name,
            ]
            change(&members)
            let sealed = try invitation.code.seal(members, at: Enrolment.guest)
            return invitation.code.request(in: ServerRecord(epoch: 0, sealed: sealed)) != nil
        }
        #expect(try isRead { _ in })
        for id in ["", "invitation", String(good.id.dropLast()), good.id + "0", good.id.uppercased() + "A"] {
            #expect(try !isRead { $0["id"] = id })
        }
        for key in ["", "AQ==", Data(repeating: 1, count: 33).base64EncodedString()] {
            #expect(try !isRead { $0["agreement"] = key } && !isRead { $0["signing"] = key })
        }
        #expect(try !isRead { $0["name"] = String(repeating: "n", count: 257) })
        #expect(try !isRead { $0["name"] = nil })
        // The letter of another place, and one that takes a listed device's id.
        let misplaced = try invitation.code.seal(good, at: Enrolment.host)
        #expect(invitation.code.request(in: ServerRecord(epoch: 0, sealed: misplaced)) == nil)
        let keys = DeviceKeys()
        let taken = DeviceKeys(id: try host.id, agreement: keys.agreement, signing: keys.signing)
        let letter = try invitation.code.seal(NewDevice(taken, named: "first"), at: Enrolment.guest)
        server.change { $0.records[Enrolment.guest] = ServerRecord(epoch: 0, sealed: letter) }
        #expect(try invitation.admitDevice(by: .after(.milliseconds(100))) == nil)
        #expect(server.contents.headers.count == 1)
        let long = String(repeating: "ä", count: 129)
        let error = failure {
            try guest().fleet.join(at: address, with: invitation.code, deviceName: long, by: .patient)
        }
        #expect(error?.code == .failed && error?.remedy == "Choose a shorter one.")
    }

    @Test("A letter that changes before the host has locked it is not answered", arguments: [true, false])
    func changedLetter(_ isHosts: Bool) throws {
        let invitation = try host.fleet.inviteDevice(by: .patient)
        let letter = try invitation.code.seal(NewDevice(DeviceKeys(), named: "new"), at: Enrolment.guest)
        server.change { $0.records[Enrolment.guest] = ServerRecord(epoch: 0, sealed: letter) }
        let end = Cancellation()
        server.beforeNextTransaction { [server] in
            server.change { $0.records[isHosts ? Enrolment.host : Enrolment.guest]?.sealed = nil }
            end.cancel()
        }
        let deadline = Deadline.after(.patience, cancelledBy: end)
        if isHosts {
            #expect(failure { _ = try invitation.admitDevice(by: deadline) }?.code == .endedCode)
        } else {
            #expect(try invitation.admitDevice(by: deadline) == nil)
        }
        #expect(server.contents.headers.count == 1)
    }

    @Test("A guest believes only the list that the host named and a device of it signed")
    func lists() throws {
        let honest = server.contents
        let attacker = DeviceKeys()
        let foreign = try FleetHeader.founding(by: attacker, named: "attacker")
        for forgery in 0...3 {
            server.contents = honest
            let invitation = try host.fleet.inviteDevice(by: .patient)
            let new = guest()
            let call = joining(new, invitation.code)
            waitForRequest(invitation.code)
            let letter = try #require(invitation.code.request(in: server.contents.records[Enrolment.guest]))
            let listing = try foreign.header.admitting(letter, by: attacker, foreign.keys)
            // Of the fleet that it lists; without the device; signed by nobody of the list; missing.
            var (shown, named) = ([foreign.header.bytes, listing.bytes], foreign.header)
            switch forgery {
            case 0: break
            case 1: (shown, named) = ([foreign.header.bytes], foreign.header)
            case 2:
                named = try FleetHeader(listing.body, signedBy: DeviceKeys())
                shown = [named.bytes]
            default: (shown, named) = ([], listing)
            }
            // Without the code, the server can only repeat what it has; with it, an answer names the list.
            let code = forgery == 0 ? EnrolmentCode() : invitation.code
            let admission = Enrolment.Admission(id: letter.id, header: named.digest)
            let answer = try code.seal(Enrolment.Invitation(admitted: admission), at: Enrolment.host)
            server.change { contents in
                contents.headers += shown
                contents.records[Enrolment.host] = ServerRecord(epoch: 0, sealed: answer)
            }
            let error = try #require(failure { try call.value() })
            #expect(error.code == (forgery == 0 ? .wrongCode : .forgedHeader), "\(forgery): \(error)")
            #expect(try !isEnrolled(new))
        }
    }

    @Test("Two connections enrol devices through PostgreSQL, whatever others do there")
    func postgres() throws {
        let person = try PostgresFleet()
        let first = try person.firstDevice()
        for number in 1...3 {
            let invitation = try first.fleet.inviteDevice(by: .patient)
            let waiting = admitting(invitation)
            let new = TestDevice()
            try first.store().change(sharedKey, .write(try UserRecords.signedIn("user \(number)")))
            #expect(person.refusal(of: "UPDATE sharedauth_fleet.record SET exchanging = 'nobody'") == nil)
            try new.fleet.join(at: person.address, with: invitation.code, deviceName: "\(number)", by: .patient)
            #expect(try waiting.value()?.name == "\(number)")
            #expect(try UserRecords.users(new.store().payload(sharedKey)) == ["user \(number)": 0])
        }
        #expect(try first.fleet.devices(by: .patient).map(\.name) == ["first", "1", "2", "3"])
    }
}
