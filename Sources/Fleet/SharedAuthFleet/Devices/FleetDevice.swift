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
    /// The last verified headers, oldest first. Those that a restored backup has lost are added to the server again.
    private(set) var chain: [FleetHeader]
    /// The digests of the headers before, oldest first: a server that shows one of them as its last has lost more than
    /// this device can add.
    private(set) var former: [Data] = []
    /// The names of the shared records of which this device has copies.
    var copies: Set<String> = []

    /// The most headers that are kept, and as many digests.
    private static let longestChain = 64
    /// The most bytes of headers that are kept besides the latest one: a header repeats the list of all devices, and the
    /// local store has no room for many long ones.
    static let mostChainBytes = 128 << 10

    init(address: ServerAddress, keys: DeviceKeys, name: String, header: FleetHeader) {
        (self.address, self.keys, self.name, chain) = (address, keys, name, [header])
    }

    /// The latest verified header.
    var header: FleetHeader { chain[chain.count - 1] }

    /// Keeps the first of these headers, in the server's order, that follows the latest one, and so on. Bytes that do
    /// not verify are absent.
    ///
    /// - Throws: `schemaVersion` if a device of the fleet wrote one of a newer format.
    mutating func follow(_ shown: [[UInt8]]) throws(FleetError) {
        let headers = Dictionary(grouping: shown.compactMap { try? FleetHeader($0) }, by: \.number)
        while let next = headers[header.number + 1]?.first(where: { (try? header.check(next: $0)) != nil }) {
            keep(next)
        }
        if shown.contains(where: { header.isFollowed(byNewer: $0) }) { throw .newerHeader }
    }

    /// Keeps a header that this device wrote.
    ///
    /// - Throws: The errors of ``FleetHeader/check(next:)``.
    mutating func follow(_ next: FleetHeader) throws(FleetError) {
        try header.check(next: next)
        keep(next)
    }

    private mutating func keep(_ next: FleetHeader) {
        var bytes = chain.map(\.bytes.count).reduce(0, +)
        chain.append(next)
        while chain.count > Self.longestChain || chain.count > 1 && bytes > Self.mostChainBytes {
            let first = chain.removeFirst()
            bytes -= first.bytes.count
            former = (former + [first.digest]).suffix(Self.longestChain)
        }
    }

    /// The number before the first header that this device knows.
    var numberBefore: Int { chain[0].number - 1 - former.count }

    /// Returns the verified headers that a server lacks, which has those with these digests and shows these bytes: all
    /// that come after the last one that it has.
    ///
    /// - Parameter hasOwnRole: True if the server keeps the lists of each device apart, so that no other device can have
    ///   pushed out the latest one. Then later ones by devices that this one does not know count, too.
    /// - Throws: `divergedHeader` if another header than the one that this device knows follows the last one, or one that
    ///   this device no longer has; `outdated` if the server shows later ones, and not those between.
    func headersMissing(
        besides listed: Set<Data>,
        _ shown: [[UInt8]],
        hasOwnRole: Bool = false
    ) throws(FleetError) -> [FleetHeader] {
        let others = shown.compactMap { try? FleetHeader($0) }
        let last = chain.lastIndex { listed.contains($0.digest) }
        let isListed = last == chain.count - 1
        if let last, !isListed, others.contains(where: { (try? chain[last].check(next: $0)) != nil }) {
            throw .divergedHeader
        }
        if others.contains(where: { header.isPassed(by: $0, ofAnyAuthor: hasOwnRole && !isListed) }) { throw .outdated }
        if let last { return Array(chain[(last + 1)...]) }
        if let known = former.lastIndex(where: listed.contains), known < former.count - 1 { throw .divergedHeader }
        return chain
    }
}

extension FleetDevice: Codable {
    private enum CodingKeys: String, CodingKey {
        case address, keys, name, chain, former, copies
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        address = try fields.decode(ServerAddress.self, forKey: .address)
        keys = try fields.decode(DeviceKeys.self, forKey: .keys)
        name = try fields.decode(String.self, forKey: .name)
        chain = try fields.decode([Data].self, forKey: .chain).map { try FleetHeader(Array($0)) }
        former = try fields.decodeIfPresent([Data].self, forKey: .former) ?? []
        copies = try fields.decode(Set<String>.self, forKey: .copies)
        if chain.isEmpty { throw FleetError.forgedHeader("it is missing here") }
    }

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(address, forKey: .address)
        try fields.encode(keys, forKey: .keys)
        try fields.encode(name, forKey: .name)
        try fields.encode(chain.map { Data($0.bytes) }, forKey: .chain)
        if !former.isEmpty { try fields.encode(former, forKey: .former) }
        try fields.encode(copies, forKey: .copies)
    }
}
