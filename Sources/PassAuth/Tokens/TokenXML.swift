internal import FoundationEssentials
internal import XMLCoder

/// The elements of a token, from and to XML.
enum TokenXML {
    /// Decodes an element; its text comes with the white space around it.
    static func decode<Elements: Decodable>(_ body: ScannedElement) throws(PassTokenError) -> Elements {
        // It would drop the spaces between two entities, too.
        let decoder = XMLDecoder(trimValueWhitespaces: false)
        decoder.shouldProcessNamespaces = false
        do {
            return try decoder.decode(Elements.self, from: Data(body.plain))
        } catch {
            // The parser's own words may quote the token.
            throw .malformed("is not well-formed XML")
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
