import FoundationEssentials
import PassAuth
import SharedAuth
import TestSupport
import Testing

struct DeviceIdentityTests {
    private let machine = MachineID(standIn: UUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF") ?? UUID())
    private let other = MachineID(standIn: UUID(uuidString: "11234567-89AB-CDEF-0123-456789ABCDEF") ?? UUID())

    @Test("Identities are HMAC and SHA-256 values, equal on every machine with this ID")
    func knownAnswers() throws {
        let mail = try AppIdentity(appID: "com.example.Mail")
        let vendor = DeviceIdentity.vendor(of: mail, on: machine)
        #expect(vendor.kind == .vendor)
        #expect(vendor.uuid == "14D30AE3-8411-4338-977C-4B7210473A35")
        #expect(vendor.fingerprint == "2dc7d7b435c062373621de8b3a8b8c60da7bc21ccb56d5193444b63d8ac3df23")
        let whole = DeviceIdentity.machine(machine)
        #expect(whole.kind == .machine)
        #expect(whole.uuid == "83311038-1626-4EDB-BA51-6711A315B8CC")
        #expect(whole.fingerprint == "e09da6ed4f2325ce4dcdbc92dd4cb238140fe6f22c5120af88e51332eb5527dd")
        let salted = DeviceIdentity.vendor(of: mail, on: machine, salt: [1, 2])
        #expect(salted.uuid == "22EBDBCE-D186-4C4A-A349-1FE1A5D57881")
    }

    @Test(
        "Apps with the same prefix see the same device; other apps see another",
        arguments: [
            ("com.example.Mail", "com.example.Calendar", true),
            ("com.example.Mail", "com.example.Mail", true),
            ("com.example.Mail", "com.example.mail.Reader", false),
            ("com.example.Mail", "com.example2.Mail", false),
            ("com.example.Mail", "com.Example.Mail", false),
            ("com.example.Mail", "com.example", false),
            ("com.example", "com.other", true),
            ("mail", "calendar", false),
            ("mail", "mail", true),
            ("mail", "mail.Reader", true),
        ]
    )
    func prefixes(left: String, right: String, same: Bool) throws {
        let (left, right) = (try AppIdentity(appID: left), try AppIdentity(appID: right))
        #expect((DeviceIdentity.vendor(of: left, on: machine) == .vendor(of: right, on: machine)) == same)
    }

    @Test("Team and access groups do not affect the device")
    func team() throws {
        let plain = try AppIdentity(appID: "com.example.Mail")
        let member = try AppIdentity(appID: "com.example.Mail", teamID: "T", accessGroups: ["T.group"])
        #expect(DeviceIdentity.vendor(of: plain, on: machine) == .vendor(of: member, on: machine))
    }

    @Test("Another machine, and a clone with another salt, is a different device")
    func otherMachines() throws {
        let app = try AppIdentity(appID: "com.example.Mail")
        let all = [
            DeviceIdentity.vendor(of: app, on: machine), .vendor(of: app, on: other),
            .vendor(of: app, on: machine, salt: [1]), .vendor(of: app, on: machine, salt: [2]),
            .vendor(of: app, on: machine, salt: [0, 1]), .machine(machine), .machine(other),
            .machine(machine, salt: [1]),
        ]
        #expect(Set(all.map(\.uuid)).count == all.count)
        #expect(Set(all.map(\.fingerprint)).count == all.count)
    }

    @Test("Derived IDs are version 4 UUIDs; fingerprints have 64 lower-case hex digits")
    func form() throws {
        for number in 0..<200 {
            let app = try AppIdentity(appID: "com.example\(number).Mail")
            let identity = DeviceIdentity.vendor(of: app, on: machine)
            let uuid = try #require(UUID(uuidString: identity.uuid))
            #expect(uuid.uuidString == identity.uuid)
            #expect(uuid.uuid.6 >> 4 == 4 && uuid.uuid.8 >> 6 == 2)
            #expect(identity.fingerprint.utf8.count == 64)
            #expect(identity.fingerprint.allSatisfy { "0123456789abcdef".contains($0) })
        }
    }

    @Test("The advertising identity is the stored ID, and changes after a reset")
    func advertising() {
        let (first, second) = (UUID(), UUID())
        #expect(DeviceIdentity.advertising(first).uuid == first.uuidString)
        #expect(DeviceIdentity.advertising(first) == .advertising(first))
        #expect(DeviceIdentity.advertising(first).fingerprint != DeviceIdentity.advertising(second).fingerprint)
    }

    @Test("A custom identity is used unchanged; an empty one is refused")
    func custom() throws {
        let abc = try DeviceIdentity.custom("abc")
        #expect(abc.kind == .custom && abc.uuid == "abc")
        #expect(abc.fingerprint == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        for text in ["ABC", "abc ", " abc"] { #expect(try DeviceIdentity.custom(text).fingerprint != abc.fingerprint) }
        expectFailure(\PassTokenError.code, .invalidValue) { _ = try DeviceIdentity.custom("") }
    }

    @Test("A printed identity shows only its kind")
    func printed() {
        let identity = DeviceIdentity.machine(machine)
        var dumped = ""
        dump(identity, to: &dumped)
        for text in ["\(identity)", String(reflecting: identity), dumped] {
            #expect(text.contains("machine"))
            #expect(!text.contains(identity.uuid) && !text.contains(identity.fingerprint))
        }
    }
}
