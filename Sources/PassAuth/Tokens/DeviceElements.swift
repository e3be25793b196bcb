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
