internal import CommandLineSupport
internal import SharedAuth

extension User {
    /// What the tool tells of a user: never a token.
    var json: JSONValue {
        .object([
            "uid": .string(uid),
            "email": JSONValue(email),
            "isAnonymous": .bool(isAnonymous),
            "providerID": .string(providerID),
            "tenantID": JSONValue(tenantID),
        ])
    }

    /// The user on one line.
    var line: String {
        let name = isAnonymous ? "anonymous" : email ?? displayName
        let details = [name, tenantID.map { "tenant \($0)" }].compactMap { $0 }
        return (details.isEmpty ? uid : "\(uid) (\(details.joined(separator: ", ")))")
    }
}

extension User? {
    /// The user, or null.
    var json: JSONValue { map(\.json) ?? .null }
}
