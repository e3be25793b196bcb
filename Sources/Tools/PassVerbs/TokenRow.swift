internal import CommandLineSupport
internal import FoundationEssentials
internal import PassAuth
internal import SharedAuth

/// One line of `tokens`.
struct TokenRow {
    /// The subject of the line.
    enum Kind {
        case authentication(isShared: Bool)
        /// The authorization of a resource.
        case authorization(String)
        /// A number of authorizations.
        case authorizations(Int)
        /// A token that cannot be read.
        case unreadable(PassStoreError.Code)
    }

    let requestor: String
    let mvpd: String
    let kind: Kind
    /// Nil for several tokens.
    var judgement: (verdict: TokenVerdict, expires: Date)?

    /// The line as text.
    var line: String {
        var words = [requestor, mvpd]
        switch kind {
        case .authentication(let isShared): words += ["authentication", isShared ? "shared" : "not shared"]
        case .authorization(let resource): words += ["authorization", resource]
        case .authorizations(let count): words += ["authorizations", String(count)]
        case .unreadable(let code):
            words += ["authentication", code == .newerSchema ? "of a newer version" : "damaged"]
        }
        if let (verdict, expires) = judgement { words.append(verdict.line(until: expires)) }
        return words.map(\.printable).joined(separator: "  ")
    }

    /// The line as JSON.
    var json: JSONValue {
        var object: [String: JSONValue] = ["requestor": .string(requestor), "mvpd": .string(mvpd)]
        switch kind {
        case .authentication(let isShared):
            (object["kind"], object["isShared"]) = (.string("authentication"), .bool(isShared))
        case .authorization(let resource):
            (object["kind"], object["resource"]) = (.string("authorization"), .string(resource))
        case .authorizations(let count):
            (object["kind"], object["count"]) = (.string("authorizations"), .number(Double(count)))
        case .unreadable(let code):
            (object["kind"], object["verdict"]) = (.string("authentication"), .string(code.rawValue))
        }
        if let (verdict, expires) = judgement {
            (object["verdict"], object["expires"]) = (.string(verdict.name), .string(expires.ISO8601Format()))
        }
        return .object(object)
    }
}

extension TokenRow {
    /// The line of a token that cannot be read.
    init(of token: UnreadableToken) {
        self.init(requestor: token.requestor, mvpd: token.mvpd, kind: .unreadable(token.code))
    }
}

extension TokenVerdict {
    /// The name of the verdict, as `--json` prints it.
    var name: String {
        switch content {
        case .valid: "valid"
        case .expired: "expired"
        case .foreignDevice: "foreign-device"
        case .issuerNotAllowed: "issuer-not-allowed"
        case .otherRequestor: "other-requestor"
        case .badSignature: "bad-signature"
        }
    }

    /// Returns the text of the verdict about a token with an expiry date.
    func line(until expires: Date) -> String {
        switch content {
        case .valid: "valid until \(expires.ISO8601Format())"
        case .expired: "expired \(expires.ISO8601Format())"
        case .foreignDevice: "issued to another device"
        case .issuerNotAllowed: "not of a TV provider that the programmer works with"
        case .otherRequestor: "issued to another programmer"
        case .badSignature: "wrongly signed"
        }
    }
}
