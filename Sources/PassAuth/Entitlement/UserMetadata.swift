internal import FoundationEssentials

/// A TV provider's metadata of a person, as servers write it.
struct UserMetadata: Decodable {
    let encrypted: [String]?
    let data: [String: MetadataValue]
    /// The names of what is not kept, because it is too large: it is asked for each time.
    let omitted: [String]?

    init?(_ envelope: Data?) {
        guard let envelope, let read = try? JSONDecoder().decode(UserMetadata.self, from: envelope) else { return nil }
        self = read
    }

    /// The number of bytes kept of it: a record also has to hold the token and the caches of other programmers.
    static let mostBytes = 24 << 10

    /// The envelope as it is kept: where it is too large, without its largest values, whose names are noted as `omitted`.
    ///
    /// - Returns: Nil for one that cannot be cut.
    static func kept(of envelope: Data) -> Data? {
        if envelope.count <= mostBytes { return envelope }
        guard var members = try? JSONDecoder().decode([String: MetadataValue].self, from: envelope),
            case .object(var data)? = members["data"]
        else { return nil }
        let encoder = JSONEncoder()
        let sizes = data.mapValues { (try? encoder.encode($0).count) ?? 0 }
        var omitted: [MetadataValue] = []
        for (name, _) in sizes.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            data[name] = nil
            omitted.append(.text(name))
            (members["data"], members["omitted"]) = (.object(data), .list(omitted))
            if let cut = try? encoder.encode(members), cut.count <= mostBytes { return cut }
        }
        return nil
    }
}
