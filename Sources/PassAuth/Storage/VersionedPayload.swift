/// What a record's payload is, in JSON: content, under the number of its layout.
struct VersionedPayload<Content: Codable>: Codable {
    let schema: Int
    let content: Content
}

/// The part of a payload that every layout has.
struct PayloadHead: Decodable {
    let schema: Int
}
