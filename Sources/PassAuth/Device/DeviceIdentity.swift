public import FoundationEssentials
public import SharedAuth

/// The device that tokens are bound to: an id of it, as the app or the group of apps sees it.
///
/// Only ``fingerprint`` goes to servers. Printed, an identity shows its kind alone.
public struct DeviceIdentity: Sendable, Hashable {
    /// The owner of the view of a device.
    @frozen
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// The same for all apps of one vendor, that is, with one bundle-id prefix.
        case vendor
        /// The same for all apps on the machine.
        case machine
        /// The same for all that read it from one store, until it is reset.
        case advertising
        /// The app's own choice.
        case custom
    }

    /// The owner of this view of the device.
    public let kind: Kind
    /// The id: a UUID, in upper case as Apple's systems write it; for a custom identity whatever the app chose.
    public let uuid: String
    /// The SHA-256 digest of ``uuid`` in lower-case hexadecimal: what tokens carry.
    public let fingerprint: String

    init(_ kind: Kind, _ uuid: String) {
        self.kind = kind
        self.uuid = uuid
        fingerprint = Digest.fingerprint(of: uuid)
    }

    /// The identity that all apps of one vendor on the machine have: they agree in every component of the app id but
    /// the last. An app id of a single component is a vendor of its own.
    ///
    /// - Parameters:
    ///   - app: The app whose id names the vendor.
    ///   - machine: The machine, from whose id it is derived by HMAC, so that it does not reveal the id.
    ///   - salt: Distinguishes machines that share an id, or users of one machine, if their apps pass different ones.
    public static func vendor(of app: AppIdentity, on machine: MachineID, salt: [UInt8] = []) -> DeviceIdentity {
        let prefix = vendorPrefix(ofAppID: app.appID)
        return DeviceIdentity(.vendor, Digest.uuid(key: machine.bytes, message: salted(Array(prefix.utf8), salt)))
    }

    /// The identity that all apps on the machine have.
    ///
    /// - Parameters:
    ///   - machine: The machine, from whose id it is derived by HMAC, so that it does not reveal the id.
    ///   - salt: Distinguishes machines that share an id, or users of one machine, if their apps pass different ones.
    public static func machine(_ machine: MachineID, salt: [UInt8] = []) -> DeviceIdentity {
        DeviceIdentity(.machine, Digest.uuid(key: machine.bytes, message: salted(machineMessage, salt)))
    }

    /// The identity of a random id that apps share in a store, and that a person may reset there.
    public static func advertising(_ id: UUID) -> DeviceIdentity { DeviceIdentity(.advertising, id.uuidString) }

    /// An identity of the app's own choosing, such as a set-top box's serial number.
    ///
    /// It is taken as it is: a difference in case or white space makes another device.
    ///
    /// - Throws: `PassTokenError` with code `invalidValue` when it is empty.
    public static func custom(_ id: String) throws(PassTokenError) -> DeviceIdentity {
        guard !id.isEmpty else {
            throw PassTokenError(.invalidValue, "The custom device id is empty. Pass one that is not.")
        }
        return DeviceIdentity(.custom, id)
    }

    /// The library's own UUID keeps this apart from every vendor, and from other software that does the same.
    private static let machineMessage = Array("6FF40EF6-0EB6-41D5-A299-01A8A9F2445Bmachine".utf8)

    /// No message has a NUL before its salt, so salted and unsalted ones never meet.
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

extension DeviceIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind alone.
    public var description: String { "DeviceIdentity(\(kind))" }
    /// The kind alone.
    public var debugDescription: String { description }
    /// The kind alone.
    public var customMirror: Mirror { Mirror(self, children: ["kind": kind]) }
}
