package import SecretService

extension Environment {
    /// The access groups in `SHAREDAUTH_ACCESS_GROUPS`; an empty one among them is kept, to be refused as malformed.
    package static var accessGroups: [String] {
        Self["SHAREDAUTH_ACCESS_GROUPS"]?.split(separator: ":", omittingEmptySubsequences: false).map(String.init) ?? []
    }
}
