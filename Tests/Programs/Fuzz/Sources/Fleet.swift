import Crypto
import Formats
import FoundationEssentials

@testable import SharedAuthFleet
@testable import SharedAuthRecords

/// The device of the seeds, which can open the seeds' record.
private let device: FleetDevice? = {
    let seed = try? Data(contentsOf: URL(filePath: "Tests/Programs/Fuzz/Corpora/fleet/device.json"))
    return seed.flatMap { try? VersionedPayload<FleetDevice>.content(of: Array($0), "fleetDevice", upTo: 1) }
}()

/// Reads a fleet's list of devices as it is, with a signature before it, as the one after a genuine list, and as a device
/// of the fleet signed it; a record, and the content of a correctly sealed one; an enrolment code; and a device's own
/// records.
func fuzzFleet(_ bytes: [UInt8]) {
    guard let device, let keys = try? device.header.keys(for: device.keys) else { fatalError("The seed is missing.") }
    let signed = Array("SharedAuthFleetHeader1.".utf8) + [UInt8](repeating: 1, count: 64)
    for header in [bytes, signed + bytes].compactMap({ try? FleetHeader($0) }) {
        _ = try? header.keys(for: device.keys)
        _ = try? header.removing(header.body.author, by: device.keys, keys)
        for former in device.chain {
            guard (try? former.check(next: header)) != nil else { continue }
            precondition(device.chain.contains { $0.bytes == header.bytes }, "a forged list was accepted")
        }
    }
    let format = Array("SharedAuthFleetHeader1.".utf8)
    if let signature = try? device.keys.signing.signature(for: Data(format) + bytes) {
        var follower = device
        _ = try? follower.follow([format + signature + bytes, bytes, signed + bytes])
        if let keys = try? follower.header.keys(for: device.keys) {
            _ = try? follower.header.admitting(NewDevice(DeviceKeys(), named: ""), by: device.keys, keys)
            _ = try? follower.header.removing("", by: device.keys, keys)
        }
    }
    let name = [UInt8](repeating: 7, count: 32)
    _ = try? keys.open(bytes, named: name, in: device.header.fleet)
    if let record = try? FleetKeys.OpenRecord(decoding: Data(bytes)),
        let sealed = try? keys.seal(record, named: name, in: device.header.fleet)
    {
        precondition((try? keys.open(sealed, named: name, in: device.header.fleet)) == record)
        _ = record.content?.removing(record.content?.names ?? [])
        if let content = record.content { _ = content.takingLaterTokens(of: content) }
    }
    if let new = try? UntrustedJSON.decode(NewDevice.self, from: bytes), new.isUsable {
        precondition((try? device.header.admitting(new, by: device.keys, keys)) != nil, "a usable device has no key")
    }
    _ = try? EnrolmentCode(String(decoding: bytes, as: UTF8.self))
    _ = try? VersionedPayload<FleetDevice>.content(of: bytes, "fleetDevice", upTo: 1)
    if var copy = try? VersionedPayload<LocalRecords.Copy>.content(of: bytes, "fleetCopy", upTo: 1) {
        _ = copy.state.shownRecord
        _ = copy.state.meet(nil, epoch: 2)
        for epoch in [1, UInt64.max] {
            let next = Position.next(in: epoch, after: copy.state.copy?.position, nil, nonce: 1)
            precondition(next.revision.isPlausible, "an implausible counter was written")
        }
    }
}
