internal import Crypto
internal import FoundationEssentials
internal import SharedAuthRecords

/// The identity of a device, with its private keys.
struct DeviceKeys: Sendable {
    /// A random identifier of the device in its fleet.
    let id: String
    /// Unwraps the keys of the fleet.
    let agreement: Curve25519.KeyAgreement.PrivateKey
    /// Signs the headers that the device writes.
    let signing: Curve25519.Signing.PrivateKey

    /// Creates the keys of a new device.
    init() {
        // Digits and letters only, as a person gives the id to a command.
        id = randomBytes(8).hexadecimal
        agreement = Curve25519.KeyAgreement.PrivateKey()
        signing = Curve25519.Signing.PrivateKey()
    }

    init(id: String, agreement: Curve25519.KeyAgreement.PrivateKey, signing: Curve25519.Signing.PrivateKey) {
        (self.id, self.agreement, self.signing) = (id, agreement, signing)
    }
}

extension DeviceKeys: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, agreement, signing
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        id = try fields.decode(String.self, forKey: .id)
        agreement = try .init(rawRepresentation: try fields.decode(Data.self, forKey: .agreement))
        signing = try .init(rawRepresentation: try fields.decode(Data.self, forKey: .signing))
    }

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(id, forKey: .id)
        try fields.encode(agreement.rawRepresentation, forKey: .agreement)
        try fields.encode(signing.rawRepresentation, forKey: .signing)
    }
}
