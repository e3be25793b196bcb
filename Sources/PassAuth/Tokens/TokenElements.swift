internal import XMLCoder

/// Elements that hold elements: an attribute of the same name is never taken for one.
protocol TokenElements: Codable, DynamicNodeDecoding {}

extension TokenElements {
    static func nodeDecoding(for key: any CodingKey) -> XMLDecoder.NodeDecoding { .element }
}
