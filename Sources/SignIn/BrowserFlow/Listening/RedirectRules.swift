/// Decides on requests to the listener, without side effects.
struct RedirectRules: Sendable {
    /// The path of the redirect URI.
    let path: String
    /// The required value of `Host`. Requests through another host name that resolves to this machine are refused.
    let host: String
    /// The value of `state` that the app put into the address of the sign-in page.
    let state: String

    /// The decision on a request.
    enum Verdict {
        /// The request is not complete yet.
        case wait
        /// The request is the expected answer.
        case accept(RedirectAnswer)
        /// The request is something else.
        case refuse(RedirectRefusal)
    }

    /// Decides on a request, as far as it has arrived.
    ///
    /// A request without exactly one `Host`, or in another version of HTTP, is not from a browser.
    func verdict(on request: RedirectRequest) -> Verdict {
        switch request.progress {
        case .open: return .wait
        case .tooLong: return .refuse(.tooLong)
        case .complete: break
        }
        guard let line = String(validating: request.line, as: UTF8.self) else { return .refuse(.malformed) }
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0", request.hosts.count == 1 else {
            return .refuse(.malformed)
        }
        let parts = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let isOurs = parts[0] == path
        guard String(decoding: request.hosts[0], as: UTF8.self).lowercased() == host else {
            return .refuse(isOurs ? .host : .malformed)
        }
        // Browsers and programs that look ahead send HEAD.
        guard words[0] == "GET" else { return .refuse(isOurs && words[0] == "POST" ? .method : .otherMethod) }
        guard isOurs else { return .refuse(.path) }
        return verdict(onQuery: parts.count == 2 ? parts[1] : "")
    }

    /// Decides on the query of a redirect to the right path.
    func verdict(onQuery query: Substring) -> Verdict {
        guard let parameters = Self.parameters(query) else { return .refuse(.parameters) }
        guard let sent = parameters["state"] else { return .refuse(.noState) }
        return isExpected(sent) ? .accept(RedirectAnswer(parameters)) : .refuse(.otherState)
    }

    /// Returns the parameters of a query; nil if one occurs twice (RFC 6749, section 3.1) or cannot be decoded.
    static func parameters(_ query: Substring) -> [String: String]? {
        var parameters: [String: String] = [:]
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(parts[0]), let value = decoded(parts.count == 2 ? parts[1] : ""),
                parameters.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        return parameters
    }

    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"):
                bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default:
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Compares in constant time, so that the state cannot be guessed piece by piece.
    private func isExpected(_ sent: String) -> Bool {
        let (sent, state) = (Array(sent.utf8), Array(state.utf8))
        guard sent.count == state.count, !state.isEmpty else { return false }
        return zip(sent, state).reduce(0) { difference, pair in difference | (pair.0 ^ pair.1) } == 0
    }
}
