internal import SharedAuth
internal import SharedAuthHTTP

extension HTTPResponse {
    /// The members of the body: of a JSON object, or of a form, in which some servers answer requests for tokens. Nil
    /// if it is neither.
    ///
    /// A form is told from other text by a member that such an answer always has, because servers send it with any media
    /// type.
    var members: JSONObject? {
        if let object = JSONObject(lenient: body) { return object }
        guard let fields = FormReader.fields(body.trimmingSpace),
            !fields.keys.allSatisfy({ !Self.tellingNames.contains($0) })
        else { return nil }
        return JSONObject(members: fields.mapValues { .string($0) })
    }

    private static let tellingNames: Set<String> = ["access_token", "device_code", "error"]
}

extension [UInt8] {
    /// The bytes without white space at the end.
    fileprivate var trimmingSpace: [UInt8] {
        Array(prefix((lastIndex { $0 > 0x20 } ?? -1) + 1))
    }
}
