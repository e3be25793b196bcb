internal import Formats
internal import FoundationEssentials
internal import SharedAuth

/// A TV provider's metadata about the user, in the servers' form.
struct UserMetadata: Decodable {
    let encrypted: [String]?
    let data: [String: JSONValue]
    /// The names of values that are too large to be cached and are requested each time.
    let omitted: [String]?

    init?(_ envelope: Data?) {
        guard let envelope, let read = try? UntrustedJSON.decode(UserMetadata.self, from: envelope) else { return nil }
        self = read
    }

    /// The largest size to cache, in bytes: the record also holds the token and the caches of other programmers.
    static let mostBytes = 24 << 10

    /// Returns the envelope to cache. Removes the largest values from one that is too large, and lists their names in
    /// `omitted`.
    ///
    /// - Returns: The envelope; nil if it cannot be reduced.
    static func kept(of envelope: Data) -> Data? {
        if envelope.count <= mostBytes { return envelope }
        guard var members = try? UntrustedJSON.decode([String: JSONValue].self, from: envelope),
            case .object(var data)? = members["data"]
        else { return nil }
        let sizes = data.mapValues { (try? StableJSON.encode($0).count) ?? 0 }
        var omitted: [JSONValue] = []
        for (name, _) in sizes.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            data[name] = nil
            omitted.append(.string(name))
            (members["data"], members["omitted"]) = (.object(data), .array(omitted))
            if let cut = try? StableJSON.encode(members), cut.count <= mostBytes { return Data(cut) }
        }
        return nil
    }
}
