internal import SharedAuth

/// The construct-only properties of a `SharedAuthOpenIDProvider`.
struct OpenIDSettings: Sendable {
    var issuer = ""
    var clientID = ""
    var clientSecret: String?
    var scopes: [String]?
    var addsOfflineAccess = true
    var issuerTemplate: String?

    /// Returns whether all settings are the same. The order of scopes does not matter.
    func isSame(as other: OpenIDSettings) -> Bool {
        issuer == other.issuer && clientID == other.clientID && clientSecret == other.clientSecret
            && scopes.map(Set.init) == other.scopes.map(Set.init) && addsOfflineAccess == other.addsOfflineAccess
            && issuerTemplate == other.issuerTemplate
    }
}

/// Returns a list of scopes as a set; nil for no list.
///
/// - Parameter name: Names the list in the error.
/// - Throws: `operationNotAllowed` if the list is empty, or if an element is not one scope (RFC 6749, section 3.3).
func scopeSet(_ scopes: [String]?, named name: String) throws(AuthError) -> Set<String>? {
    guard let scopes else { return nil }
    let flaw: String? =
        if scopes.isEmpty {
            "is empty"
        } else if !scopes.allSatisfy(\.isScope) {
            "has an element that is not one scope"
        } else {
            nil
        }
    guard let flaw else { return Set(scopes) }
    throw AuthError(
        .operationNotAllowed,
        "\(name) \(flaw).",
        remedy: "Pass one scope in each element, or no list for the default scopes."
    )
}

extension String {
    /// Indicates whether the text is one scope: printable ASCII without spaces, quotation marks and backslashes.
    fileprivate var isScope: Bool {
        !isEmpty && utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"\\".utf8.contains($0) }
    }
}
