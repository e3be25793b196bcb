import Foundation
import SecretService
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// Users that are moved from outside, as by a migration script.
extension AppFixture {
    /// A migration in this world, over a connection of its own.
    func migration(
        from source: String?,
        to target: String?,
        ifOccupied policy: MigrationPolicy = .fail,
        interceptor: CallInterceptor? = nil,
        waits: WaitCounter? = nil,
        store: (any RecordStore)? = nil
    ) throws -> UserMigration {
        var configuration = SecretService.Configuration(busAddress: .address(busAddress), timeout: .seconds(20))
        configuration.interceptor = interceptor
        configuration.waits = waits
        return try UserMigration(
            from: source,
            to: target,
            project: project,
            store: .custom(store ?? files?.store() ?? SecretServiceRecordStore(SecretService(configuration))),
            stateDirectories: StateDirectories(own: state, home: "/nonexistent", given: []),
            ifOccupied: policy,
            timeout: .seconds(20)
        )
    }

    /// Plans and performs.
    @discardableResult
    func migrate(
        _ apps: UserMigration.Apps = .all,
        from source: String?,
        to target: String?,
        ifOccupied policy: MigrationPolicy = .fail,
        savingReplaced save: UserMigration.SaveReplaced = { _ in }
    ) throws -> [UserMigration.Outcome] {
        let migration = try migration(from: source, to: target, ifOccupied: policy)
        return try migration.plan(for: apps).flatMap { migration.perform($0, savingReplaced: save) }
    }

    /// The same account with tokens that were issued later.
    func newer(_ account: Account) -> Account {
        var account = account
        account.tokens = UserTokens(
            idToken: account.tokens.idToken,
            refreshToken: account.tokens.refreshToken,
            expirationDate: account.tokens.expirationDate.addingTimeInterval(3600)
        )
        return account
    }

    /// The users in a slot, the current one first.
    func uids(_ group: String?, appID: String = "com.example.Mail") throws -> [String] {
        let record = try record(group, appID: appID)
        let current = record.currentAccount.map { [$0.uid] } ?? []
        return current + record.accounts.filter { $0.id != record.current }.map(\.uid).sorted()
    }
}

extension [UserMigration.Outcome] {
    /// The apps and what became of their users.
    var kinds: [String: UserMigration.Outcome.Kind] {
        Dictionary(map { ($0.appID ?? "", $0.kind) }) { _, last in last }
    }
}
