import Foundation
import SecretService
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

extension AppFixture {
    /// Everything that an operation might change outside its process: the items of the test's project, and the files
    /// with the apps' group choices.
    struct Contents: Equatable {
        let items: Set<StoredItem>
        let choices: [String: String]
    }

    /// Returns the present contents, read by plain Secret Service calls.
    func contents() throws -> Contents {
        Contents(items: Set(try items()), choices: try choices())
    }

    /// Returns the items of the test's project.
    func items() throws -> [StoredItem] {
        let found = try service.items(matching: ["sharedauth-project": project])
        #expect(found.locked.isEmpty)
        return try found.unlocked.map { item in
            StoredItem(label: try item.label(), attributes: try item.attributes(), secret: try item.secret().bytes)
        }
    }

    /// Returns the items in the place of one slot's record.
    func items(in slot: RecordKey) throws -> [StoredItem] {
        try items().filter {
            $0.attributes["sharedauth-scope"] == slot.scopeName && $0.attributes["sharedauth-kind"] == "user"
        }
    }

    /// Creates an item in the place of a slot's record, even if there is one already: in the default collection, or in
    /// another one.
    func plant(
        _ secret: [UInt8],
        in slot: RecordKey,
        adding attributes: [String: String] = [:],
        elsewhere: Bool = false
    ) throws {
        let (service, home) = (service, try service.defaultCollection())
        let other = elsewhere ? try service.collections().first { $0 != home } : home
        _ = try #require(other).createItem(
            label: "planted",
            attributes: slot.itemAttributes.merging(attributes) { $1 },
            secret: Secret(secret),
            replacing: false
        )
    }

    /// Replaces a slot's record with other bytes in one step, so that watches receive a signal.
    func replace(_ secret: [UInt8], in slot: RecordKey) throws {
        _ = try service.defaultCollection().createItem(
            label: "replaced",
            attributes: slot.itemAttributes,
            secret: Secret(secret),
            replacing: true
        )
    }

    /// Returns the key of a slot's record.
    func key(_ group: String?, appID: String = "com.example.Mail") throws -> RecordKey {
        let scope: RecordKey.Scope = if let group { .group(group) } else { .app(appID) }
        return RecordKey(scope: scope, project: project, instance: AuthApp.defaultName, kind: "user")
    }

    private var service: SecretService { keyring.makeService() }

    private func choices() throws -> [String: String] {
        var choices: [String: String] = [:]
        for path in FileManager.default.enumerator(atPath: state)?.compactMap({ $0 as? String }) ?? [] {
            let content = FileManager.default.contents(atPath: "\(state)/\(path)") ?? Data()
            if path.hasSuffix(".json") { choices[path] = String(decoding: content, as: UTF8.self) }
        }
        return choices
    }
}

/// An item of a test's project as stored in the keyring.
struct StoredItem: Hashable, CustomStringConvertible {
    let label: String
    let attributes: [String: String]
    let secret: [UInt8]

    /// True if the item was set aside.
    var isSetAside: Bool { attributes["sharedauth-kind"]?.hasPrefix("user.set-aside.") == true }

    var description: String { "\(label) \(attributes["sharedauth-scope"] ?? "") (\(secret.count) bytes)" }
}
