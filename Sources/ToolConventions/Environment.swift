internal import Glibc

/// What the environment says.
package enum Environment {
    /// The access groups in `SHAREDAUTH_ACCESS_GROUPS`; an empty one among them is kept, to be refused as malformed.
    package static var accessGroups: [String] {
        guard let value = unsafe getenv("SHAREDAUTH_ACCESS_GROUPS") else { return [] }
        let text = unsafe String(cString: value)
        return text.isEmpty ? [] : text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    }
}
