import Foundation
import SecretService
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// Migrations of users from outside their apps, as by a migration script.
extension AppFixture {
    /// Returns a migration in this fixture, over its own connection.
    func migration(
        from source: String?,
        to target: String?,
        ifOccupied policy: MigrationPolicy = .fail,
        interceptor: CallInterceptor? = nil,
        waits: WaitCounter? = nil,
        store: (any RecordStore)? = nil,
        timeout: Duration = .seconds(20)
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
            timeout: timeout
        )
    }

    /// Plans and performs a migration.
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

    /// Returns the same account with tokens that expire an hour later, which therefore count as newer.
    func newer(_ account: Account) -> Account {
        var account = account
        account.tokens = UserTokens(
            idToken: account.tokens.idToken,
            refreshToken: account.tokens.refreshToken,
            expirationDate: account.tokens.expirationDate.addingTimeInterval(3600)
        )
        return account
    }

    /// Returns the users in a slot, the current one first.
    func uids(_ group: String?, appID: String = "com.example.Mail") throws -> [String] {
        let record = try record(group, appID: appID)
        let current = record.currentAccount.map { [$0.uid] } ?? []
        return current + record.accounts.filter { $0.id != record.current }.map(\.uid).sorted()
    }
}

extension [UserMigration.Outcome] {
    /// The kind of outcome for each app.
    var kinds: [String: UserMigration.Outcome.Kind] {
        Dictionary(map { ($0.appID ?? "", $0.kind) }) { _, last in last }
    }
}
