import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests `sharedauth fleet` on two devices with file stores.
struct ToolTests {
    private let person: PostgresFleet
    private let laptop: ToolDevice
    private let desktop: ToolDevice

    init() throws {
        person = try PostgresFleet()
        (laptop, desktop) = (try ToolDevice(), try ToolDevice())
    }

    private func run(on device: ToolDevice, _ words: [String], input: String = "") throws -> ProcessResult {
        try device.run(words, input: input)
    }

    private var server: [String] { person.toolOptions }

    @Test("Two devices are enrolled, listed, checked, and one is removed")
    func story() throws {
        #expect(try run(on: laptop, ["status"]).status == 69)
        let began = try run(on: laptop, ["init", "--name", "laptop"] + server)
        #expect(began.status == 0, "\(began.standardError)")
        #expect(try run(on: laptop, ["init"] + server).status == 77)
        #expect(try run(on: desktop, ["init"] + server).status == 77)
        let enrolment = try laptop.enrol { code in
            #expect(code.count == 30)
            let wrong = try run(on: desktop, ["enrol"] + server, input: "AAAAAA-AAAAA-AAAAA-AAAAA-AAAAA\n")
            #expect(wrong.status == 65)
            return try run(on: desktop, ["enrol", "--name", "desktop"] + server, input: code.lowercased())
        }
        #expect(enrolment.joined.status == 0, "\(enrolment.joined.standardError)")
        #expect(enrolment.admitted == "desktop is in the fleet now.")
        let list = try run(on: desktop, ["devices"]).standardOutput.split(separator: "\n")
        #expect(list.count == 2 && list[0].hasSuffix("  laptop") && list[1].hasSuffix("  desktop (this device)"))

        let heads = try [laptop, desktop].map { device in
            try run(on: device, ["doctor"]).standardOutput.split(separator: "\n").filter { $0.hasPrefix("list") }
        }
        #expect(heads[0] == heads[1] && heads[0].count == 2)
        #expect(try run(on: laptop, ["doctor"]).standardOutput.contains("version 3\n"))

        let id = String(list[1].prefix { $0 != " " })
        #expect(try run(on: laptop, ["revoke", id]).status == 64)
        let removed = try run(on: laptop, ["revoke", "--yes", id])
        #expect(removed.status == 0 && removed.standardOutput.contains("withdraw"))
        let refused = try run(on: desktop, ["doctor", "--json"])
        #expect(refused.status == 77 && refused.standardError.contains(#""name":"removed""#))
        #expect(try run(on: desktop, ["leave"]).status == 0)
        #expect(try run(on: desktop, ["leave"]).status == 69)
        #expect(try run(on: desktop, ["reset", "--yes", "--name", "desktop"] + server).status == 0)
        let reset = try run(on: laptop, ["doctor"])
        #expect(reset.status == 77 && reset.standardError.contains("begun anew"))
    }

    @Test("enrol prints JSON members")
    func codes() throws {
        #expect(try run(on: laptop, ["init"] + server).status == 0)
        let enrolment = try laptop.enrol(["--json"]) { line in
            let code = try #require(line.firstMatch(of: /^\{"code":"([0-9A-Z-]{30})"\}$/)?.1)
            return try run(on: desktop, ["enrol", "--json", "--name", "desktop"] + server, input: String(code))
        }
        let id = try #require(try desktop.device?.keys.id)
        #expect(enrolment.joined.standardOutput == #"{"device":"desktop"}"# + "\n")
        #expect(enrolment.admitted == #"{"device":"desktop","id":"\#(id)"}"#)
    }

    @Test("Usage errors and a missing server have statuses, and name no address")
    func complaints() throws {
        #expect(try run(on: laptop, ["init"]).status == 64)
        #expect(try run(on: laptop, ["init", "--host", "/nonexistent"]).status == 64)
        let away = try run(on: laptop, ["init", "--host", "/nonexistent", "--database", "fleet"])
        #expect(away.status == 69 && !away.standardError.contains("/nonexistent"))
        #expect(try run(on: laptop, ["status"]).status == 69)
        #expect(try run(on: laptop, ["schema"]).standardOutput == Fleet.schema)
        #expect(try run(on: laptop, ["schema", "--upgrade"]).standardOutput == Fleet.schemaUpgrade)
    }
}
