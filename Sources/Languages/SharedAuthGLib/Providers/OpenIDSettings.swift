internal import CSharedAuthGLib
internal import SharedAuth

/// The construct-only properties of a `SharedAuthOpenIDProvider`.
struct OpenIDSettings: Sendable {
    var issuer = ""
    var clientID = ""
    var clientSecret: String?
    var scopes: [String]?
    var redirectPath: String?
    var redirectPort: guint = 0
    var redirectHost: String?
    var parameters: [String]?
    var addsOfflineAccess = true
    var issuerTemplate: String?

    /// The parameters of sign-ins, of which the last of a name counts.
    var namedParameters: [String: String] {
        let pairs = (parameters ?? []).map { text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (parts[0], parts.count == 2 ? parts[1] : "")
        }
        return Dictionary(pairs) { $1 }
    }

    /// Returns whether all settings are the same. The order of scopes and parameters does not matter.
    func isSame(as other: OpenIDSettings) -> Bool {
        issuer == other.issuer && clientID == other.clientID && clientSecret == other.clientSecret
            && scopes.map(Set.init) == other.scopes.map(Set.init) && redirectPath == other.redirectPath
            && redirectPort == other.redirectPort && redirectHost == other.redirectHost
            && namedParameters == other.namedParameters && addsOfflineAccess == other.addsOfflineAccess
            && issuerTemplate == other.issuerTemplate
    }

    /// Checks the lists.
    ///
    /// - Throws: `operationNotAllowed` if there are no scopes, if one is malformed, or if a parameter has no name.
    func check() throws(AuthError) {
        _ = try scopeSet(scopes, named: "The list of the identity provider's scopes")
        let flawed = (parameters ?? []).first { text in
            text.contains("\u{FFFD}") || text.first == "=" || !text.contains("=")
        }
        guard let flawed else { return }
        let name = flawed.prefix { $0 != "=" }
        throw AuthError(
            .operationNotAllowed,
            "A parameter of the identity provider is not of the form name=value: \(name).",
            remedy: "Create the identity provider with parameters such as prompt=login."
        )
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
