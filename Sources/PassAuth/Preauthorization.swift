/// The answer to one question which resources a person may use: good for the very same resources, in any order.
public struct Preauthorization: Sendable, Hashable, Codable {
    /// The resources that were asked for.
    public let resources: Set<String>
    /// Those of them that are permitted.
    public let permitted: Set<String>

    /// Makes an answer; what is permitted without having been asked for is left out.
    public init(resources: Set<String>, permitted: Set<String>) {
        self.resources = resources
        self.permitted = permitted.intersection(resources)
    }
}
