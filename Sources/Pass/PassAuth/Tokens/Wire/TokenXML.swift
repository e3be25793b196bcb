internal import Formats

/// The elements of tokens, all of which occur once or are missing.
extension XMLElement {
    /// Creates an element with a text.
    init(_ name: String, _ text: String) { self.init(name, text: XMLText(text)) }

    /// Returns the element that names a device.
    ///
    /// - Throws: ``PassTokenError`` with code `invalidValue` if a token cannot carry the fingerprint.
    static func device(_ fingerprint: String) throws(PassTokenError) -> XMLElement {
        let name = "simpleTokenFingerprint"
        return XMLElement("simpleTokenDeviceID", elements: [XMLElement(name, try TokenText.checked(fingerprint, name))])
    }

    /// Returns an element with a text that a token carries unchanged.
    ///
    /// - Throws: ``PassTokenError`` with code `invalidValue` if a token cannot carry it.
    static func checked(_ name: String, _ text: String) throws(PassTokenError) -> XMLElement {
        XMLElement(name, try TokenText.checked(text, name))
    }

    /// Returns an element of a token; nil if it has none of this name.
    func one(_ name: String) throws(PassTokenError) -> XMLElement? {
        let found = all(name)
        guard found.count < 2 else { throw .repeated(name) }
        return found.first
    }

    /// Returns the text of an element that a token may lack or leave empty, without white space around it.
    func atMostOne(_ name: String) throws(PassTokenError) -> String? {
        guard let text = try one(name).map({ TokenText.trimmed($0.text.value) }), !text.isEmpty else { return nil }
        return text
    }

    /// Returns the text of an element that a token has exactly once.
    func only(_ name: String) throws(PassTokenError) -> String {
        guard let text = try atMostOne(name) else { throw .missing(name) }
        return text
    }

    /// Returns the resource in an element of a token, with the white space around it that is written as references.
    func onlyResource(_ name: String) throws(PassTokenError) -> String {
        guard let resource = try one(name)?.text.withoutIndentation, !resource.isEmpty else { throw .missing(name) }
        return resource
    }

    /// Returns the fingerprint of the device that a token was issued to.
    func fingerprint() throws(PassTokenError) -> String {
        let (device, fingerprint) = ("simpleTokenDeviceID", "simpleTokenFingerprint")
        guard let found = try one(device) else { throw .missing(fingerprint) }
        return try found.only(fingerprint)
    }
}
