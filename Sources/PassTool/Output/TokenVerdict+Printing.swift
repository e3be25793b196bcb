internal import FoundationEssentials
internal import PassAuth

extension TokenVerdict {
    /// The name of the verdict, as `--json` prints it.
    var name: String {
        switch self {
        case .valid: "valid"
        case .expired: "expired"
        case .foreignDevice: "foreign-device"
        case .issuerNotAllowed: "issuer-not-allowed"
        case .otherRequestor: "other-requestor"
        case .badSignature: "bad-signature"
        }
    }

    /// What is to be said of a token that is good until a date.
    func line(until expires: Date) -> String {
        switch self {
        case .valid: "valid until \(expires.ISO8601Format())"
        case .expired: "expired \(expires.ISO8601Format())"
        case .foreignDevice: "issued to another device"
        case .issuerNotAllowed: "not of a provider that the programmer works with"
        case .otherRequestor: "issued to another programmer"
        case .badSignature: "wrongly signed"
        }
    }
}
