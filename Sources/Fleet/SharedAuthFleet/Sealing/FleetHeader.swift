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

    /// The permission for one new device to join with a code.
    struct Invitation: Sendable, Hashable, Codable {
        let agreement: Data
        let signing: Data
        let keys: FleetKeys.Wrapped
        /// Proves to the new device that a device that knows the code wrote the header of this number.
        let voucher: Data
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
            if bytes.starts(with: Self.format.dropLast(2)) {
                throw FleetError(
                    .schemaVersion,
                    "The fleet was changed by a newer version of SharedAuth.",
                    remedy: "Update SharedAuth on this device."
                )
            }
            throw .forgedHeader("it does not begin as a header does")
        }
        guard let body = try? UntrustedJSON.decode(Body.self, from: bytes.dropFirst(Self.format.count + 64))
        else {
            throw .forgedHeader("it was cut short or changed")
        }
        self.body = body
        self.bytes = bytes
    }

    /// Returns whether the owner of a public key signed the header.
    private func isSigned(by key: Data) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: key) else { return false }
        let (signature, text) = (bytes.dropFirst(Self.format.count).prefix(64), bytes.dropFirst(Self.format.count + 64))
        return key.isValidSignature(signature, for: Data(Self.format) + text)
    }
}

// MARK: Reading

extension FleetHeader {
    /// Checks that a header follows this one.
    ///
    /// - Throws: `reset` if it begins another fleet; `divergedHeader` if it follows another header; `forgedHeader` if no
    ///   device of this header signed it.
    func check(next: FleetHeader) throws(FleetError) {
        guard next.fleet == fleet else {
            throw FleetError(
                .reset,
                "The fleet was begun anew on another device, or the server shows another one.",
                remedy: "If a person did so, run sharedauth fleet leave, then enrol this device again."
            )
        }
        guard next.number == number + 1, next.body.previous == digest else { throw .divergedHeader }
        guard (body.epoch...body.epoch + 1).contains(next.body.epoch) else {
            throw .forgedHeader("its epoch does not follow")
        }
        let signers =
            body.devices.map { ($0.id, $0.signing) } + (body.invitation.map { [("invitation", $0.signing)] } ?? [])
        guard let signer = signers.first(where: { $0.0 == next.body.author }) else {
            throw .forgedHeader("its author is not a device of the fleet")
        }
        guard next.isSigned(by: signer.1) else { throw .forgedHeader("its signature does not match") }
    }

    /// Returns the keys of this header's epoch for a device.
    ///
    /// - Throws: `removed` if the header does not list the device.
    func keys(for device: DeviceKeys) throws(FleetError) -> FleetKeys {
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
            devices: [try Device(device, named: name, keys, by: device, in: fleet)],
            previous: Data(),
            author: device.id
        )
        return (try FleetHeader(body, signedBy: device), keys)
    }

    /// Returns the next header, which allows one new device to join with a code.
    func inviting(
        _ code: EnrolmentCode,
        by device: DeviceKeys,
        _ keys: FleetKeys
    ) throws(FleetError) -> FleetHeader {
        let guest = try code.keys
        let next = try following(by: device.id, devices: body.devices, invitation: nil)
        let invitation = Invitation(
            agreement: guest.agreement.publicKey.rawRepresentation,
            signing: guest.signing.publicKey.rawRepresentation,
            keys: try keys.wrapped(for: guest.agreement.publicKey, by: device.agreement, in: fleet),
            voucher: code.voucher(for: Self.vouched(next))
        )
        return try FleetHeader(
            try following(by: device.id, devices: body.devices, invitation: invitation),
            signedBy: device
        )
    }

    /// Returns the next header, which lists a new device that has the code of this header's invitation.
    ///
    /// - Throws: The errors of ``checkInvitation(for:)``.
    func joining(
        _ device: DeviceKeys,
        named name: String,
        with code: EnrolmentCode
    ) throws(FleetError) -> (header: FleetHeader, keys: FleetKeys) {
        let guest = try code.keys
        try checkInvitation(for: code)
        guard let invitation = body.invitation else { throw .wrongCode }
        let keys = try FleetKeys(invitation.keys, for: guest.agreement, in: fleet, epoch: body.epoch)
        let devices = body.devices + [try Device(device, named: name, keys, by: guest, in: fleet)]
        let next = try following(by: guest.id, devices: devices, invitation: nil)
        return (try FleetHeader(next, signedBy: guest), keys)
    }

    /// Returns the next header, in which a device is missing and every other one has new keys.
    func removing(
        _ removed: String,
        by device: DeviceKeys,
        _ keys: FleetKeys
    ) throws(FleetError) -> (header: FleetHeader, keys: FleetKeys) {
        let next = keys.next
        var devices: [Device] = []
        for var entry in body.devices where entry.id != removed {
            guard let recipient = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: entry.agreement) else {
                throw .forgedHeader("the key of a device has another form")
            }
            entry.keys = try next.wrapped(for: recipient, by: device.agreement, in: fleet)
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

    /// Checks, for the owner of a code who knows no device of the fleet yet, that a device that knows the code wrote
    /// this header.
    ///
    /// - Throws: `wrongCode` if the header has no invitation for this code, `forgedHeader` if its voucher does not match.
    func checkInvitation(for code: EnrolmentCode) throws(FleetError) {
        guard let invitation = body.invitation,
            invitation.signing == (try code.keys).signing.publicKey.rawRepresentation
        else { throw .wrongCode }
        var unvouched = body
        unvouched.invitation = nil
        guard invitation.voucher == code.voucher(for: Self.vouched(unvouched)),
            let author = body.devices.first(where: { $0.id == body.author }), isSigned(by: author.signing)
        else { throw .forgedHeader("its invitation was not written by a device that knows the code") }
    }

    private func following(
        by author: String,
        devices: [Device],
        invitation: Invitation?
    ) throws(FleetError) -> Body {
        Body(
            fleet: fleet,
            number: number + 1,
            epoch: body.epoch,
            devices: devices,
            invitation: invitation,
            previous: digest,
            author: author
        )
    }

    /// The part of a body that the voucher covers: all but the invitation.
    private static func vouched(_ body: Body) -> Data {
        // Without bytes, no voucher matches.
        Data((try? StableJSON.encode(body)) ?? [])
    }
}

extension FleetHeader.Device {
    fileprivate init(
        _ device: DeviceKeys,
        named name: String,
        _ keys: FleetKeys,
        by sender: DeviceKeys,
        in fleet: String
    ) throws(FleetError) {
        self.init(
            id: device.id,
            agreement: device.agreement.publicKey.rawRepresentation,
            signing: device.signing.publicKey.rawRepresentation,
            name: try keys.seal(deviceName: name, of: device.id),
            keys: try keys.wrapped(for: device.agreement.publicKey, by: sender.agreement, in: fleet)
        )
    }
}

extension FleetError {
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

    static var wrongCode: FleetError {
        FleetError(
            .wrongCode,
            "The server has no invitation for this code: it was mistyped, used, or replaced by a newer one.",
            remedy: "Run sharedauth fleet enrol on a device of the fleet, and type the code it prints."
        )
    }
}
