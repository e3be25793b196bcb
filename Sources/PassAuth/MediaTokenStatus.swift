/// The six verdicts on a media token; the raw values are the names that Adobe's verifier gives them.
public enum MediaTokenStatus: String, Sendable, Hashable, CaseIterable {
    /// Authentic, current, and for the resource asked for.
    case valid = "VALID_TOKEN"
    /// Not a media token.
    case invalidFormat = "INVALID_TOKEN_FORMAT"
    /// Not signed, or not by the key configured.
    case invalidSignature = "INVALID_SIGNATURE"
    /// Authentic, but no longer good.
    case expired = "TOKEN_EXPIRED"
    /// Authentic, but for another resource.
    case invalidResource = "INVALID_RESOURCE_ID"
    /// Authentic, but it cannot be judged: it was issued in the future.
    case unknown = "ERROR_UNKNOWN"
}
