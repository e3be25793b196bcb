import FoundationEssentials
import PassAuth
import SharedAuth
import Testing

struct MachineIDTests {
    private static let id = "0123456789abcdef0123456789abcdef"
    private let standIn = UUID(uuidString: "FEDCBA98-7654-3210-FEDC-BA9876543210") ?? UUID()

    @Test("The first file with an ID counts, and no ID is created")
    func firstFile() async throws {
        let folder = try Folder()
        let paths = try [folder.file("first", Self.id + "\n"), folder.file("second", String(Self.id.reversed()))]
        let machine = await MachineID.find(in: paths) {
            Issue.record("asked for an id although a file has one")
            return UUID()
        }
        #expect(machine.source == .file(paths[0]) && machine.warning == nil)
        let same = MachineID(standIn: try #require(UUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF")))
        #expect(DeviceIdentity.machine(machine) == .machine(same))
    }

    @Test(
        "Upper case or a missing line end does not change an ID",
        arguments: [
            id, id.uppercased(), id + "\n", id + "\n\n",
        ]
    )
    func spellings(content: String) throws {
        let folder = try Folder()
        let path = try folder.file("id", content)
        let machine = try #require(MachineID.find(in: [path]))
        #expect(DeviceIdentity.machine(machine).uuid == "83311038-1626-4EDB-BA51-6711A315B8CC")
    }

    @Test(
        "If the first file is missing or has no ID, the second counts",
        arguments: [
            nil, "", "\n", "uninitialized\n", "uninitialized", "0123456789abcdef", id + "0",
            id.replacing("f", with: "g"),
            "00000000000000000000000000000000\n", " " + id, id + "\n" + id, id + "\n\n\nx",
            "01234567-89ab-cdef-0123-456789abcdef\n", String(repeating: "a", count: 100_000),
        ]
    )
    func secondFile(content: String?) throws {
        let folder = try Folder()
        let first = try content.map { try folder.file("first", $0) } ?? folder.path + "/none"
        let second = try folder.file("second", Self.id)
        #expect(MachineID.find(in: [first, second])?.source == .file(second))
        #expect(MachineID.find(in: [folder.path, second])?.source == .file(second))
        #expect(MachineID.find(in: [first]) == nil)
    }

    @Test("Without a machine ID a stored random ID is used, with a warning")
    func standsIn() async throws {
        let folder = try Folder()
        let empty = try folder.file("id", "")
        let machine = await MachineID.find(in: [empty]) { standIn }
        #expect(machine.source == .standIn)
        #expect(machine.warning?.contains("machine id") == true)
        #expect(DeviceIdentity.machine(machine) == .machine(MachineID(standIn: standIn)))
        #expect(DeviceIdentity.machine(machine) != .machine(MachineID(standIn: UUID())))
    }

    @Test("An error of the store that cannot keep an ID is passed on")
    func storeFails() async {
        do throws(AuthError) {
            _ = try await MachineID.find(in: []) { () async throws(AuthError) in
                throw AuthError(.keyringLocked, "locked")
            }
            Issue.record("no error")
        } catch {
            #expect(error.code == .keyringLocked)
        }
    }

    @Test("Neither printed nor derived values reveal the machine's ID")
    func secrecy() throws {
        let folder = try Folder()
        let path = try folder.file("id", Self.id)
        let machine = try #require(MachineID.find(in: [path]))
        var dumped = ""
        dump(machine, to: &dumped)
        let app = try AppIdentity(appID: "com.example.Mail")
        let identities = [DeviceIdentity.machine(machine), .vendor(of: app, on: machine)]
        let texts =
            ["\(machine)", String(reflecting: machine), dumped] + identities.flatMap { [$0.uuid, $0.fingerprint] }
        for text in texts {
            #expect(!text.lowercased().replacing("-", with: "").contains(Self.id.prefix(8)))
            #expect(!text.contains("[1, 35"))
        }
    }
}
