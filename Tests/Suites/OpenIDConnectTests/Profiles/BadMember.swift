import SharedAuth
import SharedAuthHTTP
import Testing

@testable import OpenIDConnect

/// A member of a response, of which every wrong value is tried.
struct BadMember: Sendable, CustomTestStringConvertible {
    /// The response that the member belongs to.
    enum Place: String, Sendable {
        case discovery, signIn, refresh, userInfo, keySet, key, device
        case refusedRefresh, refusedRevocation, claims, header
    }

    /// What a wrong value may do.
    enum Need: Sendable {
        /// It may fail the call; the error has one of these words.
        case required([String])
        /// It harms nothing.
        case optional
        /// It harms nothing if it is none: absent, empty or of another type. Any other value has a meaning, and may be
        /// refused.
        case meaningful
    }

    let place: Place
    let name: String
    /// The right value.
    let value: JSONValue
    let need: Need
    var testDescription: String { "\(name) (\(place))" }
}

/// A wrong value of a member.
struct BadValue: Sendable {
    let name: String
    /// The value; nil for a member that is absent.
    let value: JSONValue?
    /// True for a member that occurs twice.
    var isTwice = false
    /// True if the value is none, because it is absent, empty or of another type.
    var isNone = true

    private static let long = String(repeating: "a", count: 1 << 16)

    /// Returns the wrong values of a member.
    static func all(instead right: JSONValue) -> [BadValue] {
        let values: [BadValue] = [
            BadValue(name: "a number", value: 5), BadValue(name: "a text", value: "nonsense"),
            BadValue(name: "a Boolean", value: .bool(true)), BadValue(name: "an array", value: .array(["nonsense"])),
            BadValue(name: "an object", value: .object(["a": 1])), BadValue(name: "no array", value: .array([])),
            BadValue(name: "no object", value: .object([:])),
            BadValue(name: "an array of numbers", value: .array([5])),
            BadValue(name: "-1", value: -1), BadValue(name: "-1 as text", value: "-1"),
            BadValue(name: "the year 2100", value: 4_102_444_800),
            BadValue(name: "the year 2100 as text", value: "4102444800"),
            BadValue(name: "64 KiB", value: .string(long)),
            BadValue(name: "an array of 64 KiB", value: .array([.string(long)])),
        ]
        let others = values.filter { bad in
            // Another value of the same type is not wrong, unless it is extreme.
            switch (right, bad.value) {
            case (.string, .string(let text)?): text == long
            case (.number, .number(let number)?): number != 5
            case (.bool, .bool?): false
            case (.array, .array(let values)?): values != ["nonsense"]
            case (.object, .object(let members)?): members.isEmpty
            default: true
            }
        }
        return [
            BadValue(name: "absent", value: nil), BadValue(name: "null", value: .null),
            BadValue(name: "empty", value: ""), BadValue(name: "twice", value: right, isTwice: true),
        ] + others.map { $0.measured(by: right) }
    }

    private func measured(by right: JSONValue) -> BadValue {
        var bad = self
        switch (right, value) {
        case (.string, .string?), (.number, .number?): bad.isNone = false
        case (.array, .array(let values)?): bad.isNone = !values.contains { $0.string != nil }
        // A number may be given as text.
        case (.number, .string(let text)?): bad.isNone = Double(text) == nil
        default: break
        }
        return bad
    }

    /// Returns an object as JSON, in which a member has this value.
    func json(_ name: String, in members: [String: JSONValue]) -> [UInt8] {
        let others = members.filter { $0.key != name }.map { "\(JSONValue.string($0.key).text):\($0.value.text)" }
        let own = value.map { "\(JSONValue.string(name).text):\($0.text)" }
        let all = others + [own, isTwice ? own : nil].compactMap { $0 }
        return Array("{\(all.joined(separator: ","))}".utf8)
    }
}

extension BadMember {
    private static func members(
        _ place: Place,
        required: [(String, JSONValue, [String])] = [],
        optional: KeyValuePairs<String, JSONValue> = [:],
        meaningful: KeyValuePairs<String, JSONValue> = [:]
    ) -> [BadMember] {
        required.map { BadMember(place: place, name: $0.0, value: $0.1, need: .required([$0.0] + $0.2)) }
            + optional.map { BadMember(place: place, name: $0.key, value: $0.value, need: .optional) }
            + meaningful.map { BadMember(place: place, name: $0.key, value: $0.value, need: .meaningful) }
    }

    private static func address(_ path: String) -> JSONValue { .string("\(ScriptedIssuer.issuerURL)/\(path)") }

    static let all =
        members(
            .discovery,
            required: [
                ("issuer", .string(ScriptedIssuer.issuerURL), []),
                ("authorization_endpoint", address("authorize"), []), ("token_endpoint", address("token"), []),
                ("jwks_uri", address("keys"), []),
            ],
            optional: [
                "userinfo_endpoint": address("userinfo"), "revocation_endpoint": address("revoke"),
                "end_session_endpoint": address("logout"), "device_authorization_endpoint": address("device"),
                "pushed_authorization_request_endpoint": address("par"),
                "require_pushed_authorization_requests": .bool(false),
                "authorization_response_iss_parameter_supported": .bool(true),
                "scopes_supported": .array(["openid", "offline_access"]),
                "token_endpoint_auth_methods_supported": .array(["none", "client_secret_post"]),
            ],
            meaningful: [
                "code_challenge_methods_supported": .array(["S256"]),
                "id_token_signing_alg_values_supported": .array(["ES256"]),
                "revocation_endpoint_auth_methods_supported": .array(["none"]),
            ]
        )
        + members(
            .signIn,
            required: [("id_token", "", ["ID token"])],
            optional: [
                "access_token": "", "refresh_token": "", "expires_in": 3600, "scope": "openid email",
                "session_state": "0d6bb8a4",
            ],
            meaningful: ["token_type": "Bearer"]
        )
        + members(
            .refresh,
            optional: [
                "access_token": "", "refresh_token": "", "expires_in": 3600, "scope": "openid email",
                "session_state": "0d6bb8a4",
            ],
            meaningful: ["id_token": "", "token_type": "Bearer"]
        )
        + members(
            .userInfo,
            optional: [
                "name": "Ada Lovelace", "preferred_username": "ada", "email": "ada@example.com",
                "email_verified": .bool(true), "phone_number": "+44 1", "picture": "https://issuer.example/ada.png",
                "updated_at": 1_800_000_000, "groups": .array(["users"]), "address": .object(["country": "UK"]),
            ],
            meaningful: ["sub": "ada"]
        )
        + members(.keySet, required: [("keys", .array([]), ["key set", "publishes no key"])])
        + members(
            .key,
            required: [
                ("kty", "EC", ["type"]), ("crv", "P-256", ["type", "curve"]), ("x", "", ["its x"]),
                ("y", "", ["its y"]),
            ],
            optional: ["x5t": "a", "x5c": .array(["MIIC"]), "issuer": address("")],
            meaningful: ["kid": "first", "use": "sig", "alg": "ES256", "key_ops": .array(["verify"])]
        )
        + members(
            .device,
            required: [
                ("device_code", "device", []), ("user_code", "ABCD-EFGH", []), ("verification_uri", address("d"), []),
            ],
            optional: [
                "verification_uri_complete": address("d?c=1"), "expires_in": 600, "interval": 5, "message": "Go there.",
            ]
        )
        + members(
            .refusedRefresh,
            optional: [
                "error": "temporarily_unavailable", "error_description": "Busy.", "error_uri": address("e"),
                "suberror": "busy", "error_codes": .array([7]),
            ]
        )
        + members(
            .refusedRevocation,
            optional: ["error": "invalid_request", "error_description": "No.", "error_uri": address("e")]
        )
        + members(
            .claims,
            required: [
                ("iss", .string(ScriptedIssuer.issuerURL), ["issuer"]), ("sub", "ada", ["subject"]),
                ("aud", "desktop", ["client"]), ("iat", 1_800_000_000, ["dated"]),
                ("exp", 1_800_003_600, ["has expired"]),
                ("nonce", "", []),
            ],
            optional: [
                "auth_time": 1_800_000_000, "acr": "1", "amr": .array(["pwd"]), "name": "Ada",
                "email": "ada@example.com", "email_verified": .bool(true), "phone_number": "+44 1",
                "picture": "https://issuer.example/ada.png", "groups": .array(["users"]),
            ],
            meaningful: ["azp": "desktop", "nbf": 1_800_000_000, "at_hash": ""]
        )
        + members(
            .header,
            required: [("alg", "ES256", ["algorithm", "signed"])],
            meaningful: ["kid": "first", "typ": "JWT"]
        )
}
