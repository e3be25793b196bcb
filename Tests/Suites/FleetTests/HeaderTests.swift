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
        let guest = DeviceKeys.guest
        let invited = FleetHeader.Invitation(for: guest, try keys.wrapped(for: guest, by: device, in: header.fleet))
        try header.check(next: try next(to: header, by: device, header.body.devices, invited))
        let forged = FleetHeader.Invitation(
            for: guest,
            try FleetKeys().wrapped(for: guest, by: stranger, in: header.fleet)
        )
        let shown = try next(to: header, by: device, header.body.devices, forged)
        expectFailure(\FleetError.code, .forgedHeader) { try header.check(next: shown) }
    }

    /// A list by the release before this one, with an invitation.
    private func inviting(_ guest: DeviceKeys, _ keys: FleetKeys, in header: FleetHeader) throws -> FleetHeader {
        let wrapped = try keys.wrapped(for: guest, by: device, in: header.fleet)
        return try next(to: header, by: device, header.body.devices, FleetHeader.Invitation(for: guest, wrapped))
    }

    @Test("The holder of an earlier release's code can add one device, and nothing else")
    func holders() throws {
        let (founding, keys) = try founding()
        let guest = DeviceKeys.guest
        let header = try inviting(guest, keys, in: founding)
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
        let present = try #require(try one.records.device(by: .patient))
        let guest = present.keys
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

extension DeviceKeys {
    /// The keys of an earlier release's code.
    fileprivate static var guest: DeviceKeys {
        DeviceKeys(id: "invitation", agreement: .init(), signing: .init())
    }
}

extension FleetHeader.Invitation {
    fileprivate init(for guest: DeviceKeys, _ keys: FleetKeys.Wrapped) {
        self.init(
            agreement: guest.agreement.publicKey.rawRepresentation,
            signing: guest.signing.publicKey.rawRepresentation,
            keys: keys
        )
    }
}

extension FleetKeys {
    fileprivate func wrapped(for guest: DeviceKeys, by device: DeviceKeys, in fleet: String) throws -> Wrapped {
        try wrapped(for: guest.agreement.publicKey, by: device.agreement, in: fleet)
    }
}
