import SecretService
import TestSupport
import Testing

struct CollectionTests {
    @Test("The default collection is listed; its label, lock state and items can be read")
    func defaultCollection() throws {
        let keyring = try PrivateKeyring()
        let service = keyring.makeService()
        let collection = try service.defaultCollection()
        #expect(try service.collections().contains(collection))
        #expect(service.collection(at: collection.path) == collection)
        #expect(try collection.isLocked() == false)
        #expect(try collection.label().isEmpty == false)
        let item = try service.store("x", as: "one")
        #expect(try collection.items() == [item])
    }

    @Test("A fresh home has no default collection")
    func freshHome() throws {
        let keyring = try PrivateKeyring(state: .noDefaultCollection)
        let service = keyring.makeService()
        expectFailure(\SecretServiceError.code, .noDefaultCollection) { try service.defaultCollection() }
    }

    @Test("Calls on a missing collection throw `noSuchCollection`")
    func missingCollection() throws {
        let keyring = try PrivateKeyring()
        let gone = keyring.makeService().collection(at: "/org/freedesktop/secrets/collection/gone")
        expectFailure(\SecretServiceError.code, .noSuchCollection) { try gone.label() }
        let error = try #require(throws: SecretServiceError.self) {
            _ = try gone.createItem(label: "x", attributes: ["a": "b"], secret: Secret("x"))
        }
        #expect(error.code == .noSuchCollection)
    }

    @Test("Locked and missing items throw different errors")
    func lockedIsNotMissing() throws {
        let keyring = try PrivateKeyring()
        let service = keyring.makeService()
        let item = try service.store("x", as: "one")
        try service.lock([service.defaultCollection()])
        #expect(try service.defaultCollection().isLocked())
        #expect(try item.isLocked())
        #expect(try service.items(matching: ["test": "one"]) == SearchResult(unlocked: [], locked: [item]))
        #expect(try service.secrets(of: [item]).isEmpty)
        for attempt: () throws -> Void in [
            { _ = try item.secret() },
            { try item.setSecret(Secret("y")) },
            { try item.delete() },
            {
                _ = try service.defaultCollection().createItem(label: "l", attributes: ["a": "b"], secret: Secret(""))
            },
        ] {
            expectFailure(\SecretServiceError.code, .locked, attempt)
        }
    }

    @Test("A keyring that starts locked is reported as locked")
    func keyringStartsLocked() throws {
        let keyring = try PrivateKeyring(state: .locked)
        #expect(try keyring.makeService().defaultCollection().isLocked())
    }

    @Test("Unlocking does nothing if unlocked, and throws `dismissed` without a display")
    func unlockingTheUnlocked() throws {
        let keyring = try PrivateKeyring()
        let service = keyring.makeService()
        let collection = try service.defaultCollection()
        let item = try service.store("x", as: "one")
        try service.unlock([collection, item])
        try service.unlock([])
        try keyring.lock()
        let error = try #require(throws: SecretServiceError.self) { try service.unlock([collection]) }
        #expect(error.code == .dismissed)
        #expect(error.outcomeIsUnknown == false)
    }

    @Test("Locking or unlocking a missing collection fails")
    func lockingTheMissing() throws {
        let keyring = try PrivateKeyring()
        let service = keyring.makeService()
        let gone = service.collection(at: "/org/freedesktop/secrets/collection/gone")
        expectFailure(\SecretServiceError.code, .locked) { try service.unlock([gone]) }
        expectFailure(\SecretServiceError.code, .noSuchCollection) { try service.lock([gone]) }
    }
}
