public import FoundationEssentials

extension DeviceBoundToken {
    /// Whether the token may be used, from this device, at this date.
    ///
    /// Of several objections the first counts, in this order: signature, programmer, provider, device, expiry.
    ///
    /// - Parameters:
    ///   - date: Now. At the very instant of its expiry a token is expired.
    ///   - fingerprint: This device's. It is compared byte by byte: a difference in case is another device.
    ///   - allowedIssuers: The providers that the programmer works with now. Of none of them, no token is valid.
    ///   - requestor: The programmer that asks; nil where one token serves every programmer.
    ///   - publicKey: The key that must have signed the token; nil to leave that to the server, as Adobe's own clients do.
    public func verdict(
        at date: Date,
        fingerprint: String,
        allowedIssuers: Set<String>,
        requestor: String?,
        publicKey: TokenPublicKey? = nil
    ) -> TokenVerdict {
        if let publicKey, !isSigned(by: publicKey) { return .badSignature }
        if let requestor, requestor != self.requestor { return .otherRequestor(self.requestor) }
        if !allowedIssuers.contains(mvpd) { return .issuerNotAllowed(mvpd) }
        if !fingerprint.utf8.elementsEqual(self.fingerprint.utf8) { return .foreignDevice }
        if date >= expires { return .expired(expires) }
        return .valid
    }

    /// Whether the token may be used, from this device, at this date.
    ///
    /// As ``verdict(at:fingerprint:allowedIssuers:requestor:publicKey:)``, with the device's own fingerprint.
    public func verdict(
        at date: Date,
        device: DeviceIdentity,
        allowedIssuers: Set<String>,
        requestor: String?,
        publicKey: TokenPublicKey? = nil
    ) -> TokenVerdict {
        verdict(
            at: date,
            fingerprint: device.fingerprint,
            allowedIssuers: allowedIssuers,
            requestor: requestor,
            publicKey: publicKey
        )
    }

    /// Whether this key signed what the token says.
    public func isSigned(by key: TokenPublicKey) -> Bool {
        TokenFragment.isSigned(serialized, by: key)
    }
}
