/// What becomes of tokens in a shared store that were issued to another device, that is, to an app with another
/// ``DeviceIdentity``.
public enum DeviceMismatchPolicy: Sendable, Hashable, CaseIterable {
    /// They are left alone and not used; both apps keep their own (from 1.9).
    case ignore
    /// On configuration they are deleted, with everything that is known of their programmers on that device (1.8).
    case erase
    /// On configuration the tokens are deleted; which provider was chosen stays (1.7.5).
    case sanitize
    /// Nobody looks (up to 1.7): the token is used, and the server may refuse it.
    case off
}
