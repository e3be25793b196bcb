/// The six verdicts on a media token; the raw values are the names that Adobe's verifier gives them.
public enum MediaTokenStatus: String, Sendable, Hashable, CaseIterable {
    /// Authentic, current, and for the programmer and the resource asked for.
    case valid = "VALID_TOKEN"
    /// Not a media token, or not written as a server writes it.
    case invalidFormat = "INVALID_TOKEN_FORMAT"
    /// Its authenticity for this programmer could not be validated: not signed, not signed by the key configured, or issued
    /// to another programmer. Adobe's names have none for the last.
    case invalidSignature = "INVALID_SIGNATURE"
    /// Authentic, but its time to live does not include now: it is over, or begins in the future.
    case expired = "TOKEN_EXPIRED"
    /// Authentic, but for another resource.
    case invalidResource = "INVALID_RESOURCE_ID"
    /// Not validated yet: what a variable of this type holds before the verifier has answered. The verifier itself never
    /// answers with it.
    case unknown = "ERROR_UNKNOWN"
}
