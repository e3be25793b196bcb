internal import Crypto
internal import FoundationEssentials
internal import SharedAuthRecords

/// The list of a fleet's devices, with the keys wrapped for each, signed by the device that wrote it.
///
/// Headers form a chain: each names the digest of the one before, and is signed by a device that the one before lists.
struct FleetHeader: Sendable, Hashable {
    /// A device in the list.
    struct Device: Sendable, Hashable, Codable {
        let id: String
        let agreement: Data
        let signing: Data
        /// The device's name, encrypted with the fleet's keys.
        var name: Data
        /// The fleet's keys, encrypted for the device.
        var keys: FleetKeys.Wrapped
    }

    /// The permission for the holder of a code's keys to add one device, as earlier versions wrote it. A device that was
    /// away finds it among the headers that it follows.
    struct Invitation: Sendable, Hashable, Codable {
        let agreement: Data
        let signing: Data
        let keys: FleetKeys.Wrapped
    }

    struct Body: Sendable, Hashable, Codable {
        let fleet: String
        let number: Int
        let epoch: UInt64
        var devices: [Device]
        var invitation: Invitation?
        /// The digest of the header before; empty in the first one.
        let previous: Data
        /// The id of the device that wrote the header; that of the invitation if a new device did.
        let author: String
    }

    let body: Body
    /// The header as the server stores it: the format, the signature (64 bytes), and the body in JSON.
    let bytes: [UInt8]

    var fleet: String { body.fleet }
    var number: Int { body.number }

    private static let format = Array("SharedAuthFleetHeader1.".utf8)
    private static let signatureBytes = 64
    /// The fewest bytes that a header can have.
    static let leastBytes = format.count + signatureBytes
    /// The numbers that the server can store.
    private static let numbers = 1...Int(Int32.max)
    private static let epochs: ClosedRange<UInt64> = 1...1 << 62

    /// The digest by which the next header names this one.
    var digest: Data { Data(SHA256.hash(data: bytes)) }

    init(_ body: Body, signedBy keys: DeviceKeys) throws(FleetError) {
        do {
            let text = try StableJSON.encode(body)
            let signature = try keys.signing.signature(for: Data(Self.format) + text)
            self.body = body
            bytes = Self.format + signature + text
        } catch {
            throw FleetError(.failed, "The fleet's header could not be signed.")
        }
    }

    /// Reads a header of which the signature is not checked yet.
    ///
    /// - Throws: `forgedHeader` if the bytes are not a header, `schemaVersion` if they are one of a newer format.
    init(_ bytes: [UInt8]) throws(FleetError) {
        guard bytes.starts(with: Self.format) else {
            if bytes.starts(with: Self.format.dropLast(2)) { throw .newerHeader }
            throw .forgedHeader("it does not begin as a header does")
        }
        guard bytes.count <= ListedHeader.mostBytes,
            let body = try? UntrustedJSON.decode(Body.self, from: bytes.dropFirst(Self.leastBytes))
        else {
            throw .forgedHeader("it was cut short or changed")
        }
        guard Self.numbers.contains(body.number), Self.epochs.contains(body.epoch) else {
            throw .forgedHeader("its number or its epoch is out of range")
        }
        self.body = body
        self.bytes = bytes
    }

    /// The text that the author signed, in JSON.
    private var text: ArraySlice<UInt8> { bytes.dropFirst(Self.leastBytes) }

    /// Returns whether the owner of a public key signed the header.
    private func isSigned(by key: Data) -> Bool { Self.isSigned(bytes, by: key) }

    /// Returns whether the owner of a public key signed these bytes, whatever their format's version is.
    private static func isSigned(_ bytes: [UInt8], by key: Data) -> Bool {
        guard bytes.count >= leastBytes, let key = try? Curve25519.Signing.PublicKey(rawRepresentation: key)
        else { return false }
        let signature = bytes.dropFirst(format.count).prefix(signatureBytes)
        return key.isValidSignature(signature, for: Data(bytes.prefix(format.count)) + bytes.dropFirst(leastBytes))
    }

    /// Indicates whether a device that the header lists signed it.
    var isSignedByItsDevice: Bool {
        body.devices.first { $0.id == body.author }.map { isSigned(by: $0.signing) } ?? false
    }
}

// MARK: Reading

extension FleetHeader {
    /// Checks that a header follows this one: a device of this header wrote it, and wrapped each key that is new.
    ///
    /// - Throws: `forgedHeader`.
    func check(next: FleetHeader) throws(FleetError) {
        guard next.fleet == fleet, next.number == number + 1, next.body.previous == digest else {
            throw .forgedHeader("it does not follow the latest one")
        }
        guard (body.epoch...body.epoch + 1).contains(next.body.epoch) else {
            throw .forgedHeader("its epoch does not follow")
        }
        let authors =
            body.devices.map { ($0.id, $0.signing, $0.agreement) }
            + (body.invitation.map { [("invitation", $0.signing, $0.agreement)] } ?? [])
        guard let author = authors.first(where: { $0.0 == next.body.author }) else {
            throw .forgedHeader("its author is not a device of the fleet")
        }
        guard next.isSigned(by: author.1) else { throw .forgedHeader("its signature does not match") }
        if author.0 == "invitation" {
            let isJoining = next.body.devices.count == body.devices.count + 1 && next.body.epoch == body.epoch
            guard isJoining, next.body.invitation == nil, next.body.devices.starts(with: body.devices) else {
                throw .forgedHeader("its author may add one device only")
            }
        }
        let known = Set(body.devices.map(\.keys))
        guard next.wrappedKeys.allSatisfy({ $0.sender == author.2 || known.contains($0) }) else {
            throw .forgedHeader("another device than its author wrapped a key")
        }
    }

    private var wrappedKeys: [FleetKeys.Wrapped] {
        body.devices.map(\.keys) + (body.invitation.map { [$0.keys] } ?? [])
    }

    /// Returns whether a device of this header signed these bytes, which are a header of a newer format.
    func isFollowed(byNewer bytes: [UInt8]) -> Bool {
        bytes.starts(with: Self.format.dropLast(2)) && !bytes.starts(with: Self.format)
            && body.devices.contains { Self.isSigned(bytes, by: $0.signing) }
    }

    /// Returns whether a later header of the fleet was signed by a device of this one or, with `ofAnyAuthor`, claims to be
    /// the fleet's.
    func isPassed(by later: FleetHeader, ofAnyAuthor: Bool) -> Bool {
        guard later.fleet == fleet, later.number > number else { return false }
        return ofAnyAuthor || body.devices.contains { $0.id == later.body.author && later.isSigned(by: $0.signing) }
    }

    /// Returns the keys of this header's epoch for a device.
    ///
    /// - Throws: `reset` if the header ends the fleet; `removed` if it does not list the device.
    func keys(for device: DeviceKeys) throws(FleetError) -> FleetKeys {
        if body.devices.isEmpty {
            throw FleetError(
                .reset,
                "The fleet was begun anew on another device.",
                remedy: "Run sharedauth fleet leave, then enrol this device again."
            )
        }
        guard let entry = body.devices.first(where: { $0.id == device.id }) else {
            throw FleetError(
                .removed,
                "This device was removed from the fleet.",
                remedy: "Run sharedauth fleet leave, then enrol it again from a device of the fleet."
            )
        }
        return try FleetKeys(entry.keys, for: device.agreement, in: fleet, epoch: body.epoch)
    }
}

// MARK: Writing

extension FleetHeader {
    /// Begins a fleet of one device.
    ///
    /// - Parameter number: 1, or the number after the last header of a fleet whose devices are all lost.
    static func founding(
        number: Int = 1,
        by device: DeviceKeys,
        named name: String
    ) throws(FleetError) -> (header: FleetHeader, keys: FleetKeys) {
        let (fleet, keys) = (Base64URL.encode(randomBytes(16)), FleetKeys())
        let body = Body(
            fleet: fleet,
            number: number,
            epoch: keys.epoch,
            devices: [try Device(NewDevice(device, named: name), keys, by: device, in: fleet)],
            previous: Data(),
            author: device.id
        )
        return (try FleetHeader(body, signedBy: device), keys)
    }

    /// Returns the next header, which lists a new device, too.
    ///
    /// - Throws: `failed` if nothing can be encrypted for its key.
    func admitting(_ new: NewDevice, by device: DeviceKeys, _ keys: FleetKeys) throws(FleetError) -> FleetHeader {
        let entry = try Device(new, keys, by: device, in: fleet)
        return try FleetHeader(following(by: device.id, devices: body.devices + [entry]), signedBy: device)
    }

    /// Returns the next header, in which a device is missing and every other one has new keys. A device is missing, too,
    /// if nothing can be encrypted for its key.
    func removing(
        _ removed: String,
        by device: DeviceKeys,
        _ keys: FleetKeys
    ) throws(FleetError) -> (header: FleetHeader, keys: FleetKeys) {
        let next = keys.next
        var devices: [Device] = []
        for var entry in body.devices where entry.id != removed {
            guard let recipient = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: entry.agreement),
                let wrapped = try? next.wrapped(for: recipient, by: device.agreement, in: fleet)
            else { continue }
            entry.keys = wrapped
            entry.name = try next.seal(deviceName: keys.openDeviceName(entry.name, of: entry.id) ?? "", of: entry.id)
            devices.append(entry)
        }
        let body = Body(
            fleet: fleet,
            number: number + 1,
            epoch: next.epoch,
            devices: devices,
            previous: digest,
            author: device.id
        )
        return (try FleetHeader(body, signedBy: device), next)
    }

    /// Returns the next header, which ends the fleet: it lists no device.
    func ending(by device: DeviceKeys) throws(FleetError) -> FleetHeader {
        try FleetHeader(following(by: device.id, devices: []), signedBy: device)
    }

    private func following(by author: String, devices: [Device]) -> Body {
        Body(
            fleet: fleet,
            number: number + 1,
            epoch: body.epoch,
            devices: devices,
            previous: digest,
            author: author
        )
    }
}

extension FleetHeader.Device {
    /// - Throws: `failed` if nothing can be encrypted for the device's key.
    fileprivate init(
        _ new: NewDevice,
        _ keys: FleetKeys,
        by sender: DeviceKeys,
        in fleet: String
    ) throws(FleetError) {
        guard let recipient = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: new.agreement) else {
            throw FleetError(.failed, "The new device gave a key for which nothing can be encrypted.")
        }
        self.init(
            id: new.id,
            agreement: new.agreement,
            signing: new.signing,
            name: try keys.seal(deviceName: new.name, of: new.id),
            keys: try keys.wrapped(for: recipient, by: sender.agreement, in: fleet)
        )
    }
}

extension FleetError {
    static var newerHeader: FleetError {
        FleetError(
            .schemaVersion,
            "The fleet was changed by a newer version of SharedAuth.",
            remedy: "Update SharedAuth on this device."
        )
    }

    static var laterFleet: FleetError {
        FleetError(
            .reset,
            "The server shows that the fleet was begun anew on another device; nothing proves it.",
            remedy: "If a person did so, run sharedauth fleet leave, then enrol this device again."
        )
    }

    static func forgedHeader(_ reason: String) -> FleetError {
        FleetError(
            .forgedHeader,
            "The server shows a header that no device of the fleet wrote: \(reason).",
            remedy: "Ask the administrator whether the database was changed by hand; run sharedauth fleet doctor."
        )
    }

    static var divergedHeader: FleetError {
        FleetError(
            .divergedHeader,
            "The server shows another history of the fleet than this device remembers.",
            remedy: "After a restored backup on which devices were changed, run sharedauth fleet reset on one device."
        )
    }

    static var outdated: FleetError {
        FleetError(
            .outdated,
            "The server shows later lists of devices than this device can verify: it was away for too long, or the server "
                + "hides the lists between.",
            remedy: "Run sharedauth fleet leave, then enrol this device again."
        )
    }
}
