public import FoundationEssentials

/// Whether a token may be used here and now and, if not, why not.
public enum TokenVerdict: Sendable, Hashable {
    /// It may be used.
    case valid
    /// It was good until this date.
    case expired(Date)
    /// It was issued to another device.
    case foreignDevice
    /// This provider (MVPD) is not, or no longer, among those that the programmer works with.
    case issuerNotAllowed(String)
    /// It was issued to this other programmer.
    case otherRequestor(String)
    /// It is not signed by the key that was asked for, or not at all.
    case badSignature
}
