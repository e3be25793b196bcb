internal import Glibc

/// What the environment says.
package enum Environment {
    /// The value of a variable; nil when it is unset or empty.
    package static subscript(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// The access groups in `SHAREDAUTH_ACCESS_GROUPS`; an empty one among them is kept, to be refused as malformed.
    package static var accessGroups: [String] {
        Self["SHAREDAUTH_ACCESS_GROUPS"]?.split(separator: ":", omittingEmptySubsequences: false).map(String.init) ?? []
    }
}
