internal import Crypto
internal import FoundationEssentials
internal import SharedAuth

/// A session as the record of a user; no record if there is no session.
struct UserView {
    let stored: StoredRecord

    init(of session: PassSession?, under key: RecordKey) throws(PassStoreError) {
        guard let session else {
            stored = .none
            return
        }
        let token = session.token
        let account = Account(
            profile: UserProfile(
                uid: token.userID,
                providerData: [UserInfo(providerID: token.mvpd, uid: token.userID)]
            ),
            tokens: UserTokens(
                idToken: Data(token.serialized.utf8).base64EncodedString(),
                refreshToken: "",
                expirationDate: token.expires
            ),
            project: key.project
        )
        do throws(AuthError) {
            stored = .whole(
                Record(payload: try UserRecord().signingIn(account).encoded(), revision: session.revision)
            )
        } catch {
            throw PassStoreError(.failed, error.text, underlying: error)
        }
    }

    /// Returns the token of the user in a record to be written.
    static func token(in payload: [UInt8]) throws(PassStoreError) -> AuthenticationToken {
        if let record = try? UserRecord(decoding: payload), record.accounts.count == 1,
            let account = record.currentAccount, let data = account.tokens.idToken.flatMap({ Data(base64Encoded: $0) }),
            let fragment = String(validating: data, as: UTF8.self),
            let token = try? AuthenticationToken(fragment: fragment), token.userID == account.uid
        {
            return token
        }
        throw PassStoreError(
            .invalidToken,
            "Only the user of one Pass session can be stored here. Sign in with a TV provider, or use another store."
        )
    }
}

extension PassSession {
    /// A revision for the sign-in as a write of the user's record: the same in every process, and never repeated.
    fileprivate var revision: Revision {
        let text = "\(epoch)\n\(place)\n\(number)\n\(token.serialized)"
        let nonce = SHA256.hash(data: Array(text.utf8)).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Revision(counter: number, nonce: nonce)
    }
}

extension RecordStoreError {
    /// Creates the record store's error for a failure of the token store.
    init(_ error: PassStoreError) {
        if let error = error.underlying as? RecordStoreError {
            self = error
        } else {
            self.init(.failed, error.message, underlying: error)
        }
    }
}
