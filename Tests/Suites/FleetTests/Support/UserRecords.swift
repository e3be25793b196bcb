import Foundation
import SharedAuth

@testable import SharedAuth

/// User records for tests, whose sessions and exchanges the rules can see.
enum UserRecords {
    /// Returns the payload of a record with one user who has just signed in.
    static func signedIn(_ uid: String, by issuer: String = issuer) throws -> [UInt8] {
        try record([account(uid, by: issuer)])
    }

    /// Returns the payload of a record with some users who have just signed in, of whom the last is current.
    static func record(_ accounts: [Account]) throws -> [UInt8] {
        try accounts.reduce(UserRecord()) { $0.signingIn($1, keepingOthers: true) }.encoded()
    }

    static let issuer = "https://issuer.example"

    static func account(_ uid: String, by issuer: String = issuer) -> Account {
        Account(
            profile: UserProfile(uid: uid, creationDate: nil, lastSignInDate: nil),
            tokens: tokens("0 of \(uid)").beginningLineage(),
            project: "fleet",
            issuer: issuer
        )
    }

    private static func tokens(_ text: String) -> UserTokens {
        UserTokens(
            idToken: "id \(text)",
            refreshToken: "refresh \(text)",
            expirationDate: Date(timeIntervalSince1970: 2_000_000_000)
        )
    }

    /// Returns the payload after an exchange of every account's tokens.
    static func refreshed(_ payload: [UInt8]) throws -> [UInt8] {
        try UserRecord(decoding: payload).mapAccounts { account in
            var account = account
            let number = account.tokens.exchanges + 1
            account.tokens = tokens("\(number) of \(account.uid)").succeeding(account.tokens)
            return account
        }.encoded()
    }

    /// Returns the payload without a user; nil if no user remains.
    static func without(_ uid: String, in payload: [UInt8]) throws -> [UInt8]? {
        let record = try UserRecord(decoding: payload)
        let rest = record.accounts.filter { $0.uid == uid }.reduce(record) { $0.removing($1.id) }
        return rest.isEmpty ? nil : try rest.encoded()
    }

    /// Returns the uids and the number of exchanges of a payload's users.
    static func users(_ payload: [UInt8]?) throws -> [String: Int] {
        guard let payload else { return [:] }
        return try UserRecord(decoding: payload).accounts.reduce(into: [:]) { $0[$1.uid] = $1.tokens.exchanges }
    }
}
