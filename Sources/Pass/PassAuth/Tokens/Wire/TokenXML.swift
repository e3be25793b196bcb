internal import FoundationEssentials
internal import XMLCoder

/// Encodes and decodes the elements of a token as XML.
enum TokenXML {
    /// Decodes an element; its text includes surrounding white space.
    static func decode<Elements: Decodable>(_ body: ScannedElement) throws(PassTokenError) -> Elements {
        // Trimming would also drop the spaces between two entities.
        let decoder = XMLDecoder(trimValueWhitespaces: false)
        decoder.shouldProcessNamespaces = false
        let plain = try ReferencedSpace.read(body.plain)
        do {
            return try decoder.decode(Elements.self, from: Data(plain))
        } catch {
            // The parser's own message may quote the token.
            throw .malformed("is not well-formed XML")
        }
    }

    static func encode(_ elements: some Encodable, root: String) throws(PassTokenError) -> String {
        do {
            let xml = String(decoding: try XMLEncoder().encode(elements, withRootKey: root), as: UTF8.self)
            return ReferencedSpace.written(xml)
        } catch {
            throw PassTokenError(.invalidValue, "The \(root) could not be written as XML.")
        }
    }
}

extension [String]? {
    /// Returns the text of an element that a token has exactly once.
    func only(_ name: String) throws(PassTokenError) -> String {
        guard let text = try atMostOne(name) else { throw .missing(name) }
        return text
    }

    /// Returns the resource in an element of a token, including white space written as character references.
    func onlyResource(_ name: String) throws(PassTokenError) -> String {
        let all = self ?? []
        guard all.count < 2 else { throw .repeated(name) }
        let text = all.first.map { ReferencedSpace.unmarked(TokenText.trimmedPlainly($0)) } ?? ""
        guard !text.isEmpty else { throw .missing(name) }
        return text
    }

    /// Returns the text of an element that a token may lack or leave empty.
    func atMostOne(_ name: String) throws(PassTokenError) -> String? {
        let all = self ?? []
        guard all.count < 2 else { throw .repeated(name) }
        guard let text = all.first.map(TokenText.trimmed), !text.isEmpty else { return nil }
        return text
    }
}

/// The elements of a `simpleTokenDeviceID`.
struct DeviceElements: Codable {
    var simpleTokenFingerprint: [String]?
}

extension DeviceElements {
    init(fingerprint: String) throws(PassTokenError) {
        simpleTokenFingerprint = [try TokenText.checked(fingerprint, "simpleTokenFingerprint")]
    }
}

extension [DeviceElements]? {
    func fingerprint() throws(PassTokenError) -> String {
        let all = self ?? []
        guard all.count < 2 else { throw .repeated("simpleTokenDeviceID") }
        return try all.first.flatMap(\.simpleTokenFingerprint).only("simpleTokenFingerprint")
    }
}
