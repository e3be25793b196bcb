internal import FoundationEssentials
internal import XMLCoder

/// The elements of a token, from and to XML.
enum TokenXML {
    /// Decodes an element that ``MarkupScanner`` let pass.
    static func decode<Elements: Decodable>(_ body: [UInt8]) throws(PassTokenError) -> Elements {
        let decoder = XMLDecoder()
        decoder.shouldProcessNamespaces = false
        do {
            return try decoder.decode(Elements.self, from: Data(body))
        } catch {
            // The parser's own words may quote the token.
            throw .malformed("is not well-formed XML, or an element has others where text belongs")
        }
    }

    static func encode(_ elements: some Encodable, root: String) throws(PassTokenError) -> String {
        do {
            return String(decoding: try XMLEncoder().encode(elements, withRootKey: root), as: UTF8.self)
        } catch {
            throw PassTokenError(.invalidValue, "The \(root) could not be written as XML.")
        }
    }
}
