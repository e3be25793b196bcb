import SharedAuth
import TestSupport
import Testing

@testable import PassAuth

struct StoredDeviceIDTests {
    let world = PassStoreFixture()

    @Test(
        "An ID in the keyring is created once for all apps and survives a log-out"
    )
    func ids() throws {
        let (one, two) = (StoredDeviceIDs(in: world.keyring), StoredDeviceIDs(in: world.keyring))
        let (machine, advertising) = (try one.machineStandIn(), try one.advertisingID())
        #expect(machine != advertising)
        let store = try world.store()
        try store.signIn(world.token("R1", "M1"), for: RequestorConfiguration("R1", "M1"))
        try store.logOut()
        #expect(try two.machineStandIn() == machine)
        #expect(try two.advertisingID() == advertising)
        let reset = try two.resetAdvertisingID()
        #expect(try reset != advertising && one.advertisingID() == reset && one.machineStandIn() == machine)
        #expect(try StoredDeviceIDs(in: world.keyring, project: "staging").machineStandIn() != machine)
    }

    @Test("An unreadable ID is an error and is never replaced by a new one")
    func unreadable() throws {
        let ids = StoredDeviceIDs(in: world.keyring)
        let machine = try ids.machineStandIn()
        world.keyring.fail(as: .locked)
        expectFailure(\PassStoreError.code, .locked) { try ids.machineStandIn() }
        world.keyring.mend()
        #expect(try ids.machineStandIn() == machine)
        let key = try #require(world.keyring.takeWrites().first)
        try world.put("{}", under: key)
        expectFailure(\PassStoreError.code, .damaged) { try ids.machineStandIn() }
        #expect(try world.text(key) == "{}")
    }

    @Test("The error of a damaged ID names a remedy that works")
    func damaged() throws {
        let ids = StoredDeviceIDs(in: world.keyring)
        let advertising = try ids.advertisingID()
        let key = try #require(world.keyring.takeWrites().first)
        try world.put("{}", under: key)
        do throws(PassStoreError) {
            _ = try ids.advertisingID()
            Issue.record("not an error")
        } catch {
            #expect(error.code == .damaged)
            // A log-out does not delete IDs.
            #expect(!error.message.contains("Log out"), "\(error)")
            #expect(error.message.contains("Delete"), "\(error)")
        }
        let reset = try ids.resetAdvertisingID()
        #expect(try reset != advertising && ids.advertisingID() == reset)
    }
}
