extension RedirectURL {
    /// Returns whether an address is the final address of a page, with the required state.
    ///
    /// Accepts the plain address and that of early versions, both compared without case, and any address with the app's
    /// own scheme.
    func matches(_ url: String, state: String?) -> Bool {
        guard Self.continues(url, plain) || Self.continues(url, Self.formerPlain) || isOfSecureScheme(url) else {
            return false
        }
        return state.map(Self.states(of: url).contains) ?? true
    }

    /// The final address in early versions.
    private static var formerPlain: String { "http://adobepass.ios.app/" }

    private func isOfSecureScheme(_ url: String) -> Bool {
        guard let scheme = secure?.split(separator: ":").first else { return false }
        return url.lowercased().hasPrefix("\(scheme.lowercased())://")
    }

    /// Returns whether an address is the base address, followed by nothing, a slash, a query or a fragment.
    private static func continues(_ url: String, _ base: String) -> Bool {
        // If a state was added to the query, it precedes the fragment.
        let whole = String(base.prefix { $0 != "#" })
        let base = whole.hasSuffix("/") ? String(whole.dropLast()) : whole
        guard url.lowercased().hasPrefix(base.lowercased()) else { return false }
        let rest = url.dropFirst(base.count)
        return rest.isEmpty || rest == "/" || rest.hasPrefix("/?") || rest.hasPrefix("/#")
            || "?#".contains(rest.prefix(1)) || base.contains("?") && rest.hasPrefix("&")
    }

    /// Returns all values of `state`; the app's own address may already have one.
    private static func states(of url: String) -> [String] {
        let query = url.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        return query.split(separator: "&").filter { $0.hasPrefix("state=") }.map { String($0.dropFirst(6)) }
    }
}
