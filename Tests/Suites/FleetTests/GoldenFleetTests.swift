import Foundation
import SharedAuth
import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests that devices read the data that earlier versions stored, on the server and on the device.
struct GoldenFleetTests {
    private static let content = #"{"version":1,"accounts":[]}"#

    @Test("A device's part, list, record and copy of version 1 are read")
    func reading() throws {
        let device = try VersionedPayload<FleetDevice>.content(
            of: GoldenBytes.read("fleet/device.json"),
            "fleetDevice",
            upTo: 1
        )
        #expect(device.name == "laptop" && device.header.number == 2 && device.chain.count == 2)
        #expect(device.chain.last?.bytes == (try GoldenBytes.read("fleet/header")))
        let keys = try device.header.keys(for: device.keys)
        let name = keys.name(of: sharedKey)
        let record = try keys.open(GoldenBytes.read("fleet/record"), named: name, in: device.header.fleet)
        #expect(record.revision == Revision(counter: 7, nonce: 9))
        #expect(record.content?.payload == Array(Self.content.utf8))
        let copy = try VersionedPayload<LocalRecords.Copy>.content(
            of: GoldenBytes.read("fleet/copy.json"),
            "fleetCopy",
            upTo: 1
        )
        #expect(copy.state.copy?.content?.payload == Array(Self.content.utf8))
        #expect(copy.state.copy?.position.revision.counter == 7)
    }

    @Test("A list and a device's part of a newer version are left unchanged")
    func newer() throws {
        var header = try GoldenBytes.read("fleet/header")
        header[try #require(header.firstIndex(of: UInt8(ascii: "1")))] = UInt8(ascii: "2")
        expectFailure(\FleetError.code, .schemaVersion) { _ = try FleetHeader(header) }
        let text = try GoldenBytes.text("fleet/device.json").replacing(#""fleetDevice":1"#, with: #""fleetDevice":2"#)
        let device = TestDevice { _ in HostileServer() }
        try device.local.change(device.records.deviceKey, .write(Array(text.utf8)))
        expectFailure(\RecordStoreError.code, .newerVersion) { _ = try device.records.device(by: .patient) }
        expectFailure(\RecordStoreError.code, .newerVersion) {
            try device.records.updateDevice(by: .patient) { _ in nil }
        }
        #expect(try device.local.payload(device.records.deviceKey) == Array(text.utf8))
    }

    @Test("A device is stored in the form of version 1")
    func writing() throws {
        let golden = try JSONSerialization.jsonObject(with: Data(GoldenBytes.read("fleet/device.json")))
        let device = try VersionedPayload<FleetDevice>.content(
            of: GoldenBytes.read("fleet/device.json"),
            "fleetDevice",
            upTo: 1
        )
        let written = try VersionedPayload("fleetDevice", 1, device).bytes
        let present = try JSONSerialization.jsonObject(with: Data(written))
        #expect((golden as? NSDictionary) == (present as? NSDictionary))
    }
}
