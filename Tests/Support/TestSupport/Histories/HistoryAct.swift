package import SharedAuth

/// A call of an app in a history: what the process showed before and afterwards, its result, and the updates of slots
/// that it made.
package struct HistoryAct: Codable, Sendable, Hashable {
    package enum Call: Codable, Sendable, Hashable {
        /// Nothing: the process only followed others.
        case rest
        /// `useUserAccessGroup`.
        case use(slot: String)
        /// A sign-in, whose answer has this token.
        case signIn(token: String)
        case signOut
        /// A forced refresh of the token.
        case refresh
        /// `updateCurrentUser` with a user who has this token.
        case update(token: String)
        /// `migrateCurrentUser`, with a policy.
        case migrate(slot: String, MigrationPolicy)
        /// A ``UserMigration`` from outside the apps.
        case move(from: String, to: String)
        /// `getStoredUser`, which returned this token.
        case read(slot: String, token: String?)
        /// The app set its tenant.
        case chooseTenant(String?)
    }

    /// What a process shows: the slot in use, the current user's token, and the tenant.
    package struct View: Codable, Sendable, Hashable {
        package var slot: String
        package var user: String?
        package var tenant: String?
        /// True if the app has set the tenant; a user of another one may then be current without being shown.
        package var isTenantChosen: Bool

        package init(slot: String, user: String? = nil, tenant: String? = nil, isTenantChosen: Bool = false) {
            (self.slot, self.user, self.tenant, self.isTenantChosen) = (slot, user, tenant, isTenantChosen)
        }
    }

    /// A call of the identity provider with a refresh token, and the token that it issued; nil if it refused.
    package struct Exchange: Codable, Sendable, Hashable {
        package var used: String
        package var issued: String?

        package init(used: String, issued: String?) { (self.used, self.issued) = (used, issued) }
    }

    /// An update of a slot: its content before and afterwards, which may be the same.
    package struct Update: Codable, Sendable, Hashable {
        package var slot: String
        package var before: String?
        package var after: String?
        package var began: UInt64
        package var ended: UInt64

        package init(_ slot: String, from before: String?, to after: String?, began: UInt64, ended: UInt64) {
            (self.slot, self.before, self.after, self.began, self.ended) = (slot, before, after, began, ended)
        }

        package var added: [String] { SlotText.tokens(of: after).filter { !SlotText.tokens(of: before).contains($0) } }
        package var removed: [String] {
            SlotText.tokens(of: before).filter { !SlotText.tokens(of: after).contains($0) }
        }
    }

    package var process: Int
    /// The app's own slot; nil for a migration from outside.
    package var ownSlot: String?
    /// True if the process also changes on its own when others write.
    package var isObserving: Bool
    package var call: Call
    package var before: View
    package var after: View
    /// The code of the call's error.
    package var error: Int?
    package var exchanges: [Exchange] = []
    package var updates: [Update] = []
    package var began: UInt64
    package var ended: UInt64

    package init(
        process: Int,
        ownSlot: String?,
        isObserving: Bool = false,
        _ call: Call,
        before: View,
        after: View,
        error: Int? = nil,
        exchanges: [Exchange] = [],
        updates: [Update] = [],
        began: UInt64,
        ended: UInt64
    ) {
        (self.process, self.ownSlot, self.isObserving, self.call) = (process, ownSlot, isObserving, call)
        (self.before, self.after, self.error) = (before, after, error)
        (self.exchanges, self.updates, self.began, self.ended) = (exchanges, updates, began, ended)
    }
}

extension HistoryAct {
    /// The operations on registers that the act consists of: its updates, and what its result says about a slot.
    package var operations: [HistoryOperation] {
        updates.map { update in
            HistoryOperation(
                process: process,
                register: update.slot,
                action: .swap(update.before, update.after),
                began: update.began,
                ended: update.ended
            )
        }
            + claims.map { slot, action in
                HistoryOperation(process: process, register: slot, action: action, began: began, ended: ended)
            }
            + arrivals
    }

    /// The looks at the source whose users a migration has copied.
    private var arrivals: [HistoryOperation] {
        guard let target = call.target else { return [] }
        return updates.indices.flatMap { place -> [HistoryOperation] in
            let update = updates[place]
            let isTakenBack = updates[..<place].contains { $0.slot == target && $0.before == update.after }
            guard update.slot == target, !isTakenBack, let source = source(ofUpdate: place, to: target) else {
                return []
            }
            return update.added.map { token in
                HistoryOperation(
                    process: process,
                    register: source,
                    action: .presence(of: token),
                    began: began,
                    ended: update.ended
                )
            }
        }
    }

    /// Returns the slot from which an update has copied users: the one that is read next, under its lock. It is unknown
    /// if the migration failed before.
    private func source(ofUpdate place: Int, to target: String) -> String? {
        if case .move(let from, _) = call { return from }
        // A process that observes others also looks at its slot on its own.
        return isObserving ? nil : updates[place...].first { $0.slot != target }?.slot
    }

    /// Indicates whether a process that observes no others shows its user in the slot to which it has moved them.
    var isUserMoved: Bool {
        if isObserving { return false }
        // With this policy, another session of the same user may be there.
        if case .migrate(_, .join) = call { return false }
        guard let target = call.target, let user = before.user, let now = after.user else { return false }
        return after.slot == target && SessionToken(now).account == SessionToken(user).account
    }

    /// What the result says about slots at some moment of the call.
    private var claims: [(slot: String, HistoryOperation.Action)] {
        if case .read(let slot, let token) = call { return error == nil ? [(slot, .current(token))] : [] }
        // A process that observes others may have changed between the look before and the call.
        if isObserving { return [] }
        let leaving = before.user.map { HistoryOperation.Action.absence(ofAccount: SessionToken($0).account) }
        switch (call, error) {
        // A user who is left behind stays if another process of the app chooses the own slot at the same time.
        case (.use(let slot), nil): return [(slot, .current(after.user))]
        case (.use(let slot), HistoryRules.tenantMismatch): return [(slot, .mismatch(tenant: before.tenant))]
        case (.signOut, nil): return leaving.map { [(after.slot, $0)] } ?? []
        case (.migrate(let slot, _), nil):
            return before.slot != slot && isUserMoved ? leaving.map { [(before.slot, $0)] } ?? [] : []
        case (.refresh, nil): return exchanges.isEmpty ? after.user.map { [(after.slot, .presence(of: $0))] } ?? [] : []
        default: return []
        }
    }
}

extension HistoryAct.Call {
    /// The slot to which a migration moves users.
    var target: String? {
        switch self {
        case .migrate(let slot, _), .move(_, let slot): slot
        default: nil
        }
    }
}

extension MigrationPolicy: Codable {}
