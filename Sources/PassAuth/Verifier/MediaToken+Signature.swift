extension MediaToken {
    /// Whether this key signed what the token says.
    func isSigned(by key: TokenPublicKey) -> Bool {
        guard let fragment = try? TokenText.decoded(serialized) else { return false }
        return TokenFragment.isSigned(fragment, by: key)
    }
}
