public import FoundationEssentials

/// An ID token and its claims (Firebase: `AuthTokenResult`). The description shows the expiry alone.
///
/// The signature of the token is not checked here; back ends must check it.
public struct AuthTokenResult: Sendable {
    /// The ID token.
    public let token: String
    /// The date at which the token expires.
    public let expirationDate: Date
    /// The date at which the user signed in.
    public let authDate: Date
    /// The date at which the token was issued.
    public let issuedAtDate: Date
    /// The method with which the user signed in, e.g. `password` or `anonymous`.
    public let signInProvider: String
    /// The kind of second factor with which the user signed in, e.g. `totp`; empty if the user signed in without one.
    public let signInSecondFactor: String
    /// All claims of the token, as JSON.
    public let jsonClaims: [String: JSONValue]

    /// All claims of the token in Swift's own types: `claims["admin"] as? Bool`. See ``JSONValue/plain``.
    public var claims: [String: any Sendable] { jsonClaims.mapValues(\.plain) }
}

extension AuthTokenResult: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The expiry alone.
    public var description: String { "AuthTokenResult(expires \(expirationDate.timeIntervalSince1970))" }
    /// The expiry alone.
    public var debugDescription: String { description }
    /// Nothing: tokens are secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension AuthTokenResult {
    /// Reads the claims of an ID token.
    ///
    /// - Throws: `malformedJWT` if it is not a JSON Web Token, or lacks the issue date or the expiry date.
    init(idToken: String) throws(AuthError) {
        guard
            let claims = JSONWebToken(idToken)?.claims,
            let expires = claims["exp"]?.number,
            let issued = claims["iat"]?.number
        else {
            throw AuthError(.malformedJWT, "The user's ID token is not a readable JSON Web Token. Sign in again.")
        }
        token = idToken
        expirationDate = Date(timeIntervalSince1970: expires)
        issuedAtDate = Date(timeIntervalSince1970: issued)
        authDate = Date(timeIntervalSince1970: claims["auth_time"]?.number ?? issued)
        signInProvider = claims["firebase"]?["sign_in_provider"]?.string ?? ""
        signInSecondFactor = claims["firebase"]?["sign_in_second_factor"]?.string ?? ""
        jsonClaims = claims
    }
}

/// A JSON value, as in the claims of a token; ``plain`` converts it to Swift's own types.
@frozen
public enum JSONValue: Sendable, Hashable, Codable {
    /// `null`.
    case null
    /// A Boolean value.
    case bool(Bool)
    /// A number.
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object([String: JSONValue])

    /// Decodes a value of any kind.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Encodes the value as it is.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    /// The value in Swift's own types, for `as?`: `Bool`, `String`, `Int` for a whole number, `Double` for any other
    /// number, an array or a dictionary; ``null`` is itself.
    public var plain: any Sendable {
        switch self {
        case .null: self
        case .bool(let value): value
        case .number(let value): if let whole = Int(exactly: value) { whole } else { value }
        case .string(let value): value
        case .array(let values): values.map(\.plain)
        case .object(let members): members.mapValues(\.plain)
        }
    }

    /// The number; nil for any other value.
    public var number: Double? { if case .number(let value) = self { value } else { nil } }
    /// The string; nil for any other value.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The member of the object with this name; nil if there is no such member, or for any other value.
    public subscript(name: String) -> JSONValue? { if case .object(let members) = self { members[name] } else { nil } }
}
