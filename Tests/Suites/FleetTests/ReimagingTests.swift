import Foundation
import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests a fleet whose devices are installed anew again and again.
struct ReimagingTests {
    /// The number of devices and of months: `FLEET_DEVICES` and `FLEET_MONTHS`, which may be 200 and 24.
    private static let devices = number("FLEET_DEVICES") ?? 6
    private static let months = number("FLEET_MONTHS") ?? 3

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    @Test("Devices that are installed anew each month can be enrolled and removed for years", .timeLimit(.minutes(180)))
    func years() throws {
        let server = try PrivatePostgres()
        defer { server.end() }
        try server.administer(Fleet.schema)
        let person = try PostgresFleet(on: server)
        // A small fleet needs a small room to use it up.
        if Self.devices < 100 { try person.setRoom("30000") }
        var fleet = try person.devices(Self.devices)
        let one = fleet[0].device
        let payload = try UserRecords.signedIn("alice")
        for month in 1...Self.months {
            for index in 1..<fleet.count {
                try one.fleet.remove(try fleet[index].device.id, by: .patient)
                try server.administer(
                    try Article.statements("SET id = NULL", for: person.role, device: fleet[index].address.role)
                )
                fleet[index].device = TestDevice()
                let name = "device \(index + 1) of month \(month)"
                try one.enrol(fleet[index].device, named: name, at: fleet[index].address)
            }
            // Each of them joined before others did.
            try one.store().change(sharedKey, .write(payload))
            for (device, _) in [fleet[1], fleet[fleet.count / 2], fleet[fleet.count - 1]] {
                #expect(failure { _ = try device.store().payload(sharedKey) } == nil || Self.devices > 100)
            }
            #expect(try fleet[fleet.count - 1].device.store().payload(sharedKey) == payload)
            try report("month \(month)", person, one)
        }
        #expect(try one.fleet.devices(by: .patient).count == Self.devices)
        let findings = Fleet.findings(
            try one.fleet.roles(by: .patient),
            of: try one.fleet.devices(by: .patient),
            own: fleet[0].address.role
        )
        #expect(!findings.contains { if case .refused = $0 { true } else { false } })
    }

    /// Prints what lists take.
    private func report(_ time: String, _ person: PostgresFleet, _ one: TestDevice) throws {
        let device = try #require(try one.records.device(by: .patient))
        let memory = try #require(try one.local.payload(one.records.deviceKey)).count
        let taken = try person.server.administer(
            """
            SELECT count(*), sum(octet_length(body)), pg_total_relation_size('sharedauth_fleet.header'),
            (SELECT max(sum) FROM (SELECT sum(octet_length(body) + 64) FROM sharedauth_fleet.header GROUP BY role) AS s)
            FROM sharedauth_fleet.header
            """
        )
        print("\(time): list \(device.header.number), \(device.header.bytes.count) bytes; memory \(memory); \(taken)")
    }
}
