import Crypto
import Foundation
import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests what makes a list of devices the fleet's.
struct HeaderTests {
    private let device = DeviceKeys()

    private func founding() throws -> (header: FleetHeader, keys: FleetKeys) {
        try FleetHeader.founding(by: device, named: "first")
    }

    /// A list that follows another one, and has these parts.
    private func next(
        to header: FleetHeader,
        by author: DeviceKeys,
        epoch: UInt64? = nil,
        _ devices: [FleetHeader.Device],
        _ invitation: FleetHeader.Invitation? = nil
    ) throws -> FleetHeader {
        let body = FleetHeader.Body(
            fleet: header.fleet,
            number: header.number + 1,
            epoch: epoch ?? header.body.epoch,
            devices: devices,
            invitation: invitation,
            previous: header.digest,
            author: author.id
        )
        return try FleetHeader(body, signedBy: author)
    }

    private func entry(
        _ keys: FleetKeys,
        by sender: DeviceKeys,
        in fleet: String
    ) throws -> FleetHeader.Device {
        let new = DeviceKeys()
        return FleetHeader.Device(
            id: new.id,
            agreement: new.agreement.publicKey.rawRepresentation,
            signing: new.signing.publicKey.rawRepresentation,
            name: try keys.seal(deviceName: "new", of: new.id),
            keys: try keys.wrapped(for: new.agreement.publicKey, by: sender.agreement, in: fleet)
        )
    }

    @Test("The code's proof covers parts of a list that this version does not know")
    func laterParts() throws {
        let (header, keys) = try founding()
        let code = EnrolmentCode()
        let plain = try header.inviting(code, by: device, keys)
        let invitation = try #require(plain.body.invitation)
        let text = Array(plain.bytes.dropFirst(FleetHeader.leastBytes))
        let part = #""later":{"invitation":["\"","}",{"number":1}]},"#
        let bare = String(decoding: try #require(JSONMember.removing("invitation", from: text)), as: UTF8.self)
        let vouched = bare.replacing(#""number":"#, with: part + #""number":"#)
        let proven = FleetHeader.Invitation(
            agreement: invitation.agreement,
            signing: invitation.signing,
            keys: invitation.keys,
            voucher: code.voucher(for: Data(vouched.utf8))
        )
        let member = String(decoding: try JSONEncoder().encode(proven), as: UTF8.self)
        func isProven(_ vouched: String) throws -> Bool {
            let whole = vouched.replacing(#""later":"#, with: #""invitation":\#(member),"later":"#)
            let format = Array(plain.bytes.prefix(23))
            let signature = try device.signing.signature(for: Data(format) + Data(whole.utf8))
            let later = try FleetHeader(format + signature + whole.utf8)
            return (try? later.checkInvitation(for: code)) != nil
        }
        #expect(try isProven(vouched))
        #expect(try !isProven(vouched.replacing("}\",{", with: "]\",{")))
        try plain.checkInvitation(for: code)
    }

    @Test("A member is cut out of an object's text, and nothing else")
    func members() {
        func without(_ text: String) -> String? {
            JSONMember.removing("a", from: text.utf8).map { String(decoding: $0, as: UTF8.self) }
        }
        let cases = [
            (#"{"a":1}"#, "{}"), (#"{"a":1,"b":2}"#, #"{"b":2}"#), (#"{"b":2,"a":1}"#, #"{"b":2}"#),
            (#"{"b":"\"a\":","a":{"a":[1,"}"]},"c":{"a":3}}"#, #"{"b":"\"a\":","c":{"a":3}}"#),
            (#"{"b":"\\","a":"\\\"","c":1}"#, #"{"b":"\\","c":1}"#),
        ]
        for (text, rest) in cases { #expect(without(text) == rest) }
        for text in [#"{"b":1}"#, "", "{", #"{"a":1,"a":2}"#, #"{"a"}"#, #"{"a":1"#] { #expect(without(text) == nil) }
    }

    @Test("Each new key of a list is wrapped by the list's author")
    func senders() throws {
        let (header, keys) = try founding()
        let stranger = DeviceKeys()
        let good = try entry(keys, by: device, in: header.fleet)
        try header.check(next: try next(to: header, by: device, header.body.devices + [good]))
        let foreign = try entry(FleetKeys(), by: stranger, in: header.fleet)
        expectFailure(\FleetError.code, .forgedHeader) {
            try header.check(next: try next(to: header, by: device, header.body.devices + [foreign]))
        }
        let code = EnrolmentCode()
        let invited = try header.inviting(code, by: device, keys)
        let invitation = try #require(invited.body.invitation)
        let recipient = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: invitation.agreement)
        let forged = FleetHeader.Invitation(
            agreement: invitation.agreement,
            signing: invitation.signing,
            keys: try FleetKeys().wrapped(for: recipient, by: stranger.agreement, in: header.fleet),
            voucher: invitation.voucher
        )
        let shown = try next(to: header, by: device, header.body.devices, forged)
        expectFailure(\FleetError.code, .forgedHeader) { try header.check(next: shown) }
        expectFailure(\FleetError.code, .forgedHeader) { try shown.checkInvitation(for: code) }
    }

    @Test("The holder of a code can add one device, and nothing else")
    func holders() throws {
        let (founding, keys) = try founding()
        let code = EnrolmentCode()
        let header = try founding.inviting(code, by: device, keys)
        let guest = try code.keys
        try header.check(next: try header.joining(DeviceKeys(), named: "second", with: code).header)
        let added = try (1...2).map { _ in try entry(keys, by: guest, in: header.fleet) }
        let present = header.body.devices
        try header.check(next: try next(to: header, by: guest, present + added.prefix(1)))
        let lists = [present + added, Array(added.prefix(1)), [], added.prefix(1) + present, present]
        for list in lists {
            expectFailure(\FleetError.code, .forgedHeader) {
                try header.check(next: try next(to: header, by: guest, list))
            }
        }
        expectFailure(\FleetError.code, .forgedHeader) {
            try header.check(
                next: try next(to: header, by: guest, epoch: header.body.epoch + 1, present + added.prefix(1))
            )
        }
        expectFailure(\FleetError.code, .forgedHeader) {
            try header.check(next: try next(to: header, by: guest, present + added.prefix(1), header.body.invitation))
        }
    }

    @Test("A device with an unusable key keeps no other from being removed")
    func unusableKey() throws {
        let server = HostileServer()
        let one = try TestDevice.on(server)
        let two = try TestDevice.on(server, enrolledBy: one)
        let code = try one.fleet.inviteDevice(by: .patient)
        let present = try #require(try one.records.device(by: .patient))
        let guest = try code.keys
        let keys = try present.header.keys(for: present.keys)
        for bad in [Data(), Data([1]), Data(repeating: 1, count: 31)] {
            let added = try entry(keys, by: guest, in: present.header.fleet)
            let unusable = FleetHeader.Device(
                id: added.id,
                agreement: bad,
                signing: added.signing,
                name: added.name,
                keys: added.keys
            )
            let removed = try #require(try two.records.device(by: .patient)).keys.id
            let next = try next(to: present.header, by: guest, present.header.body.devices + [unusable])
            let following = try next.removing(removed, by: present.keys, keys).header
            #expect(following.body.devices.map(\.id) == [present.keys.id])
            try next.check(next: following)
        }
        let last = try entry(keys, by: guest, in: present.header.fleet)
        let bad = FleetHeader.Device(
            id: last.id,
            agreement: Data([1]),
            signing: last.signing,
            name: Data(),
            keys: last.keys
        )
        server.contents.headers.append(
            try next(to: present.header, by: guest, present.header.body.devices + [bad]).bytes
        )
        try one.fleet.remove(try #require(try two.records.device(by: .patient)).keys.id, by: .patient)
        #expect(try one.fleet.devices(by: .patient).map(\.name) == ["first"])
    }

    @Test("Numbers and epochs out of range are no list's")
    func ranges() throws {
        let (header, _) = try founding()
        for (number, epoch) in [(0, 1), (-1, 1), (Int.max, 1), (Int.min, 1), (1, 0), (1, UInt64.max), (1, 1 << 63)] {
            let body = FleetHeader.Body(
                fleet: header.fleet,
                number: number,
                epoch: epoch,
                devices: header.body.devices,
                previous: Data(),
                author: device.id
            )
            let bytes = try FleetHeader(body, signedBy: device).bytes
            expectFailure(\FleetError.code, .forgedHeader) { _ = try FleetHeader(bytes) }
        }
    }
}
