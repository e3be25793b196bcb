/// Decides on requests to the listener, without side effects.
struct RedirectRules: Sendable {
    /// The path of the redirect URI.
    let path: String
    /// The required value of `Host`. Requests through another host name that resolves to this machine are refused.
    let host: String
    /// The value of `state` that the app put into the address of the sign-in page.
    let state: String

    /// The decision on the bytes that a connection has sent so far.
    enum Verdict {
        /// The request is not complete yet.
        case wait
        /// The request is the expected answer.
        case accept(RedirectAnswer)
        /// The request is something else; respond with this status.
        case refuse(Int)
    }

    /// The maximum size of a request's line and headers, in bytes.
    static let limit = 8192

    /// Decides on the bytes that a connection has sent.
    ///
    /// A request without exactly one `Host`, or in another version of HTTP, is not from a browser.
    func verdict(on bytes: [UInt8]) -> Verdict {
        guard let head = Self.head(of: bytes.prefix(Self.limit)) else {
            return bytes.count < Self.limit ? .wait : .refuse(431)
        }
        guard let text = String(validating: head, as: UTF8.self) else { return .refuse(400) }
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0",
            Self.hosts(in: lines.dropFirst()) == [host]
        else { return .refuse(400) }
        guard words[0] == "GET" else { return .refuse(405) }
        let parts = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0] == path else { return .refuse(404) }
        guard let parameters = Self.parameters(parts.count == 2 ? parts[1] : ""),
            let sent = parameters["state"], isExpected(sent)
        else { return .refuse(400) }
        return .accept(RedirectAnswer(parameters))
    }

    /// Returns the request's line and headers, without the empty line that ends them; nil if that has not arrived.
    private static func head(of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let end: [UInt8] = [13, 10, 13, 10]
        guard bytes.count >= end.count else { return nil }
        let start = (bytes.startIndex...bytes.endIndex - end.count).first {
            bytes[$0..<$0 + end.count].elementsEqual(end)
        }
        return start.map { bytes[..<$0] }
    }

    private static func hosts(in lines: some Sequence<Substring>) -> [String] {
        lines.compactMap { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].lowercased() == "host" else { return nil }
            return String(parts[1].drop { $0 == " " }).lowercased()
        }
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
