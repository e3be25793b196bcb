import FoundationEssentials
import PassAuth

/// Stands in for the server that signs people in with their MVPD: it issues a token to whoever asks.
struct StandInServer {
    private let key: TokenSigningKey

    init() throws(PassTokenError) { key = try TokenSigningKey() }

    /// What apps check signatures with.
    var publicKey: TokenPublicKey { key.publicKey }

    /// A token for one programmer, bound to the device that the app says it runs on.
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
