import FoundationEssentials
import PassAuth

/// A stand-in for the server that signs users in with their MVPD; it issues a token on every request.
struct StandInServer {
    private let key: TokenSigningKey

    init() throws(PassTokenError) { key = try TokenSigningKey() }

    /// The key with which apps check signatures.
    var publicKey: TokenPublicKey { key.publicKey }

    /// Returns a token for one programmer, bound to the given device.
    func token(for requestor: String, from mvpd: String, to device: DeviceIdentity) throws(PassTokenError)
        -> AuthenticationToken
    {
        try AuthenticationToken(
            userID: "somebody",
            requestor: requestor,
            domain: "example.com",
            mvpd: mvpd,
            expires: Date() + 3600,
            fingerprint: device.fingerprint,
            signedWith: key
        )
    }
}
