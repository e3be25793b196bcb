package import FoundationEssentials

/// The address of a redirect that the user passes on by hand, as the browser shows it where it could not open it.
package struct PastedRedirect: Sendable {
    /// The greatest length of an address in bytes.
    private static let limit = 65_536

    private let address: Substring

    /// Creates a redirect from the text that the user passed on; spaces around it do not matter.
    package init(_ text: String) {
        let blank: (Character) -> Bool = { $0.isWhitespace || $0.isNewline || "\"'<>".contains($0) }
        let trimmed = text.drop(while: blank)
        let end = trimmed.lastIndex { !blank($0) }.map { trimmed.index(after: $0) } ?? trimmed.startIndex
        // The browser adds the fragment; the server did not send it to the app.
        address = trimmed[..<end].prefix { $0 != "#" }
    }

    /// Decides whether this is the redirect of a sign-in, by the rules for requests to its listener.
    ///
    /// - Parameters:
    ///   - redirectURI: The redirect URI of the sign-in.
    ///   - state: The `state` of the sign-in.
    package func answer(to redirectURI: URL, matching state: String) throws(RedirectRefusal) -> RedirectAnswer {
        guard address.utf8.count <= Self.limit else { throw .tooLong }
        let parts = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let place = parts.first, place == redirectURI.absoluteString else { throw .path }
        let rules = RedirectRules(path: redirectURI.path(percentEncoded: true), host: "", state: state)
        switch rules.verdict(onQuery: parts.count == 2 ? parts[1] : "") {
        case .accept(let answer): return answer
        case .refuse(let refusal): throw refusal
        case .wait: throw .noState
        }
    }
}
