extension RedirectURL {
    /// Whether an address is where a page was to lead, in one of the two forms, with the state that it has to carry.
    ///
    /// Schemes and hosts are the same in upper and lower case. Of the app's own scheme any address counts.
    func matches(_ url: String, state: String?) -> Bool {
        guard Self.continues(url, plain) || Self.continues(url, Self.formerPlain) || isOfSecureScheme(url) else {
            return false
        }
        return state.map(Self.states(of: url).contains) ?? true
    }

    /// The address of early versions.
    private static var formerPlain: String { "http://adobepass.ios.app/" }

    private func isOfSecureScheme(_ url: String) -> Bool {
        guard let scheme = secure?.split(separator: ":").first else { return false }
        return url.lowercased().hasPrefix("\(scheme.lowercased())://")
    }

    /// Whether an address is a base, with nothing or a slash, a query or a fragment after it.
    private static func continues(_ url: String, _ base: String) -> Bool {
        // A state that was added to the query is before a fragment.
        let whole = String(base.prefix { $0 != "#" })
        let base = whole.hasSuffix("/") ? String(whole.dropLast()) : whole
        guard url.lowercased().hasPrefix(base.lowercased()) else { return false }
        let rest = url.dropFirst(base.count)
        return rest.isEmpty || rest == "/" || rest.hasPrefix("/?") || rest.hasPrefix("/#")
            || "?#".contains(rest.prefix(1)) || base.contains("?") && rest.hasPrefix("&")
    }

    /// The values of `state`, of which the app's own address may have one.
    private static func states(of url: String) -> [String] {
        let query = url.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        return query.split(separator: "&").filter { $0.hasPrefix("state=") }.map { String($0.dropFirst(6)) }
    }
}
