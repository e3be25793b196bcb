internal import Crypto
internal import DesktopSupport
internal import FoundationEssentials

/// The public part of a device that a header is to list.
struct NewDevice: Sendable, Hashable, Codable {
    let id: String
    let agreement: Data
    let signing: Data
    let name: String

    /// The most bytes of a name.
    private static let longestName = 256

    init(_ device: DeviceKeys, named name: String) {
        id = device.id
        agreement = device.agreement.publicKey.rawRepresentation
        signing = device.signing.publicKey.rawRepresentation
        self.name = name
    }

    /// Indicates whether it has the form of what a device sends about itself, and its keys can be used.
    var isUsable: Bool {
        id.utf8.count == 16 && id.allSatisfy { $0.isHexDigit && !$0.isUppercase } && name.utf8.count <= Self.longestName
            && (try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: agreement)) != nil
            && (try? Curve25519.Signing.PublicKey(rawRepresentation: signing)) != nil
    }

    /// Returns whether a header lists this very device.
    func isListed(in header: FleetHeader) -> Bool {
        header.body.devices.contains { $0.id == id && $0.agreement == agreement && $0.signing == signing }
    }
}

/// The letters by which a device of a fleet, the host, admits a new one, the guest.
///
/// Both know a code, and nothing of each other. The host leaves a letter which says that it waits; the guest leaves one
/// with its public keys; the host adds these to the list of devices, and says in its letter which list that is. The
/// letters are sealed with the code, in two records that exist for all enrolments of a person: no other record has their
/// names, which are no keyed digests.
enum Enrolment {
    /// The host's letter.
    struct Invitation: Sendable, Hashable, Codable {
        /// The device that was admitted; nil while the host waits.
        var admitted: Admission?
    }

    struct Admission: Sendable, Hashable, Codable {
        let id: String
        /// The digest of the header that lists the device.
        let header: Data
    }

    /// The place of the host's letter.
    static let host = place("host")
    /// The place of the guest's letter, which is a ``NewDevice``.
    static let guest = place("guest")

    private static func place(_ name: String) -> [UInt8] {
        Array(SHA256.hash(data: Data("SharedAuth fleet enrolment, \(name)".utf8)))
    }

    /// The time for which a code can be used.
    static let duration = Duration.seconds(3600)
    /// The longest time after which letters are read again although the server told of no change.
    static let pause = Duration.seconds(10)
    /// The time limit of each exchange with the server while a device waits.
    static let reply = Duration.seconds(20)
}

extension FleetSession {
    /// Reads the host's letter.
    ///
    /// - Returns: Nil if no device that knows the code left one.
    func invitation(with code: EnrolmentCode, by deadline: Deadline) throws(FleetError) -> Enrolment.Invitation? {
        let letter = try read(Enrolment.host, by: deadline).record?.sealed
        return code.open(Enrolment.Invitation.self, letter, at: Enrolment.host)
    }

    /// Reads the guest's letter.
    ///
    /// - Returns: Nil if no device that knows the code left one that can be admitted.
    func request(with code: EnrolmentCode, by deadline: Deadline) throws(FleetError) -> NewDevice? {
        code.request(in: try read(Enrolment.guest, by: deadline).record)
    }

    /// Leaves a letter in its place, or takes it away, in the transaction, which has locked the place.
    func leave(_ letter: [UInt8]?, at place: [UInt8], by deadline: Deadline) throws(FleetError) {
        try write(ServerRecord(epoch: 0, sealed: letter), named: place, by: deadline)
    }
}

extension EnrolmentCode {
    /// Returns the device that a guest's letter names; nil if it was not sealed with the code, or names none that can be
    /// admitted.
    func request(in letter: ServerRecord?) -> NewDevice? {
        guard let device = open(NewDevice.self, letter?.sealed, at: Enrolment.guest), device.isUsable else {
            return nil
        }
        return device
    }

    /// Returns whether a host's letter says that it waits for a device with this code.
    func isAwaited(in letter: ServerRecord?) -> Bool {
        open(Enrolment.Invitation.self, letter?.sealed, at: Enrolment.host) == Enrolment.Invitation(admitted: nil)
    }
}

extension FleetError {
    static var wrongCode: FleetError {
        FleetError(
            .wrongCode,
            "No device of the fleet waits for this code: it was mistyped, used, replaced, or is older than an hour.",
            remedy: "Run sharedauth fleet enrol on a device of the fleet, and type the code while it waits."
        )
    }

    static var longDeviceName: FleetError {
        FleetError(.failed, "The device's name has more than 256 bytes.", remedy: "Choose a shorter one.")
    }

    static var endedCode: FleetError {
        FleetError(
            .endedCode,
            "The enrolment code ended: an hour has passed, or a newer one replaced it.",
            remedy: "Run sharedauth fleet enrol again."
        )
    }
}
