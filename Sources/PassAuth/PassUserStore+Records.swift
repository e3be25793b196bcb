public import SecretService
public import SharedAuth

extension PassUserStore {
    /// Reads a record; a user is computed of the session that stands.
    public func read(_ key: RecordKey, within deadline: Deadline) throws(RecordStoreError) -> StoredRecord {
        guard let tokens = tokens(behind: key) else { return try base.read(key, within: deadline) }
        do throws(PassStoreError) {
            return try view(of: try tokens.session(of: requestor, deadline), under: key).stored
        } catch {
            return try stored(error)
        }
    }

    /// Changes a record; of a user, a deletion is a log-out, and a new user a sign-in.
    @discardableResult
    public func update(
        _ key: RecordKey,
        within deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(RecordStoreError) -> StoredRecord {
        guard let tokens = tokens(behind: key) else { return try base.update(key, within: deadline, decide) }
        do throws(PassStoreError) {
            var announced: String?
            while true {
                if let announced {
                    try tokens.records.remember(announced, deadline)
                    try tokens.records.updateIndex(deadline) { $0.announce(announced) }
                }
                switch try change(tokens, key, deadline, decide) {
                case .unchanged(let view):
                    return view.stored
                case .loggedOut:
                    for part in tokens.layouts { part.sweepAfterLogOut(deadline) }
                    return .none
                case .signedIn(let view, let token, let left):
                    tokens.sweep(left, deadline)
                    try tokens.updateOwnChoice(token.mvpd, canAuthenticate: true, of: requestor.id, deadline)
                    return view.stored
                case .unannounced(let bucket):
                    announced = bucket
                }
            }
        } catch {
            let found = try stored(error)
            return try repair(found, tokens, key, deadline, decide)
        }
    }

    private enum Outcome {
        case unchanged(UserView)
        case loggedOut
        case signedIn(UserView, AuthenticationToken, leaving: [String])
        /// Before the token can be stored, the index has to know the bucket.
        case unannounced(String)
    }

    /// Shows what stands and makes of it what is decided, all while no other process can change the index.
    private func change(
        _ tokens: PassTokenStore,
        _ key: RecordKey,
        _ deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(PassStoreError) -> Outcome {
        try tokens.records.updateIndex(deadline) { index throws(PassStoreError) in
            let session = try tokens.session(of: requestor, inSlot: index, deadline)
            let view = try view(of: session, under: key)
            switch decide(view.stored) {
            case .keep:
                return .unchanged(view)
            case .delete, .removeDamaged:
                index.logOut()
                if let own = tokens.perRequestorStore { try own.records.updateIndex(deadline) { $0.logOut() } }
                alarms.set(nil, of: key)
                return .loggedOut
            case .write(let payload), .replaceDamaged(let payload):
                let token = try UserView.token(in: payload)
                if token == session?.token { return .unchanged(view) }
                if let own = tokens.ownFile(for: token, requestor) {
                    let session = try own.signIn(token, for: requestor, deadline)
                    return .signedIn(try self.view(of: session, under: key), token, leaving: [])
                }
                try tokens.check(token, for: requestor)
                let bucket = tokens.bucket(of: token)
                guard index.buckets.contains(bucket) else { return .unannounced(bucket) }
                let entered = try tokens.enter(token, for: requestor, in: &index, deadline)
                let left = StoreIndex.places(of: bucket).filter { $0 != entered.place }
                return .signedIn(try self.view(of: entered, under: key), token, leaving: left)
            }
        }
    }

    /// Lets what is damaged be seen, and does what is decided of it.
    private func repair(
        _ found: StoredRecord,
        _ tokens: PassTokenStore,
        _ key: RecordKey,
        _ deadline: Deadline,
        _ decide: (StoredRecord) -> RecordChange
    ) throws(RecordStoreError) -> StoredRecord {
        let change = decide(found)
        do throws(PassStoreError) {
            switch (change, found) {
            case (.keep, _):
                return found
            case (.removeDamaged, .damaged):
                try tokens.logOut(for: requestor, deadline)
                return .none
            case (.replaceDamaged(let payload), .damaged):
                let session = try tokens.signIn(try UserView.token(in: payload), for: requestor, deadline)
                return try view(of: session, under: key).stored
            case (_, .newer(let reason)):
                throw PassStoreError(RecordStoreError(.newerVersion, reason))
            case (_, .damaged(let reason)):
                throw PassStoreError(RecordStoreError(.damaged, reason))
            default:
                return found
            }
        } catch {
            throw RecordStoreError(error)
        }
    }

    /// What cannot be understood is an answer; any other failure is one.
    private func stored(_ error: PassStoreError) throws(RecordStoreError) -> StoredRecord {
        switch error.code {
        case .damaged: .damaged(error.message)
        case .newerSchema: .newer(error.message)
        default: throw RecordStoreError(error)
        }
    }
}
