internal import Crypto
internal import FoundationEssentials
internal import SharedAuthRecords

/// This device's part in a fleet: the server, its keys, and the headers that it has verified.
///
/// It is stored in the local store under the machine's id, so that machines that share a home are separate devices.
struct FleetDevice: Sendable {
    var address: ServerAddress
    let keys: DeviceKeys
    /// The name that the person gave the device.
    let name: String
    /// The verified headers, oldest first. Those that a restored backup has lost are added to the server again.
    private(set) var chain: [FleetHeader]
    /// The names of the shared records of which this device has copies.
    var copies: Set<String> = []

    private static let longestChain = 64

    init(address: ServerAddress, keys: DeviceKeys, name: String, header: FleetHeader) {
        (self.address, self.keys, self.name, chain) = (address, keys, name, [header])
    }

    /// The latest verified header.
    var header: FleetHeader { chain[chain.count - 1] }

    /// Verifies headers that follow the latest one, and keeps them.
    ///
    /// - Throws: The errors of ``FleetHeader/check(next:)``; then no header is kept.
    mutating func follow(_ headers: [[UInt8]]) throws(FleetError) {
        var chain = chain
        for bytes in headers {
            let next = try FleetHeader(bytes)
            try chain[chain.count - 1].check(next: next)
            chain.append(next)
        }
        self.chain = chain.suffix(Self.longestChain)
    }

    /// Returns the headers that a server lacks whose latest header is `bytes`; nil if it has none.
    ///
    /// - Throws: `divergedHeader` if that is not one of the verified headers.
    func headersMissing(after bytes: [UInt8]?) throws(FleetError) -> [FleetHeader] {
        guard let bytes else { return chain }
        guard let place = chain.firstIndex(where: { $0.bytes == bytes }) else { throw .divergedHeader }
        return Array(chain[(place + 1)...])
    }
}

extension FleetDevice: Codable {
    private enum CodingKeys: String, CodingKey {
        case address, keys, name, chain, copies
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        address = try fields.decode(ServerAddress.self, forKey: .address)
        keys = try fields.decode(DeviceKeys.self, forKey: .keys)
        name = try fields.decode(String.self, forKey: .name)
        chain = try fields.decode([Data].self, forKey: .chain).map { try FleetHeader(Array($0)) }
        copies = try fields.decode(Set<String>.self, forKey: .copies)
        if chain.isEmpty { throw FleetError.forgedHeader("it is missing here") }
    }

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(address, forKey: .address)
        try fields.encode(keys, forKey: .keys)
        try fields.encode(name, forKey: .name)
        try fields.encode(chain.map { Data($0.bytes) }, forKey: .chain)
        try fields.encode(copies, forKey: .copies)
    }
}
