public import DesktopSupport
public import FoundationEssentials
public import SharedAuth

/// The device that tokens are bound to, identified by an id that depends on the app or the group of apps.
///
/// Only ``fingerprint`` is sent to servers. Its description shows only its kind.
public struct DeviceIdentity: Sendable, Hashable {
    /// The scope of a device's id.
    @frozen
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// The same for all apps of one vendor, that is, with one prefix of the app id.
        case vendor
        /// The same for all apps on the machine.
        case machine
        /// The same for all apps that read it from one store, until it is reset.
        case advertising
        /// Chosen by the app.
        case custom
    }

    /// The scope of this id.
    public let kind: Kind
    /// The id: a UUID in upper case, as Apple's systems write it; for a custom identity any text chosen by the app.
    public let uuid: String
    /// The SHA-256 digest of ``uuid`` in lower-case hexadecimal, which tokens carry.
    public let fingerprint: String

    init(_ kind: Kind, _ uuid: String) {
        self.kind = kind
        self.uuid = uuid
        fingerprint = Digest.fingerprint(of: uuid)
    }

    /// Returns the identity shared by all apps of one vendor on the machine: those whose app ids have all components
    /// but the last in common. An app id of a single component is its own vendor.
    ///
    /// - Parameters:
    ///   - app: The app whose id names the vendor.
    ///   - machine: The machine, from whose id it is derived by HMAC, so that it does not reveal the id.
    ///   - salt: Distinguishes machines that share an id, or users of one machine, if their apps pass different ones.
    public static func vendor(of app: AppIdentity, on machine: MachineID, salt: [UInt8] = []) -> DeviceIdentity {
        let prefix = vendorPrefix(ofAppID: app.appID)
        return DeviceIdentity(.vendor, Digest.uuid(key: machine.bytes, message: salted(Array(prefix.utf8), salt)))
    }

    /// Returns the identity shared by all apps on the machine.
    ///
    /// - Parameters:
    ///   - machine: The machine, from whose id it is derived by HMAC, so that it does not reveal the id.
    ///   - salt: Distinguishes machines that share an id, or users of one machine, if their apps pass different ones.
    public static func machine(_ machine: MachineID, salt: [UInt8] = []) -> DeviceIdentity {
        DeviceIdentity(.machine, Digest.uuid(key: machine.bytes, message: salted(machineMessage, salt)))
    }

    /// Returns the identity for a random id that apps share in a store, and that a user may reset there.
    public static func advertising(_ id: UUID) -> DeviceIdentity { DeviceIdentity(.advertising, id.uuidString) }

    /// Returns an identity chosen by the app, such as a set-top box's serial number.
    ///
    /// It is used unchanged: a difference in case or white space makes another device.
    ///
    /// - Throws: ``PassTokenError`` with code `invalidValue` if it is empty.
    public static func custom(_ id: String) throws(PassTokenError) -> DeviceIdentity {
        guard !id.isEmpty else {
            throw PassTokenError(.invalidValue, "The custom device id is empty. Pass one that is not.")
        }
        return DeviceIdentity(.custom, id)
    }

    /// The library's own UUID distinguishes this id from every vendor's, and from those of other software that uses the
    /// same derivation.
    private static let machineMessage = Array("6FF40EF6-0EB6-41D5-A299-01A8A9F2445Bmachine".utf8)

    /// No message has a NUL before its salt, so salted and unsalted messages never collide.
    private static func salted(_ message: [UInt8], _ salt: [UInt8]) -> [UInt8] {
        salt.isEmpty ? message : message + [0] + salt
    }

    /// Returns the part that the apps of one vendor have in common: all components of an app id but the last; the whole
    /// id if it has one component.
    private static func vendorPrefix(ofAppID appID: String) -> String {
        let components = appID.split(separator: ".", omittingEmptySubsequences: false)
        return components.count < 2 ? appID : components.dropLast().joined(separator: ".")
    }
}

extension DeviceIdentity: Redacted {
    /// The kind only.
    public var description: String { "DeviceIdentity(\(kind))" }
    /// The kind only.
    public var customMirror: Mirror { Mirror(self, children: ["kind": kind]) }
}
