/// The elements of a `simpleAuthorizationToken`, in the order in which they are written.
struct AuthorizationElements: Codable {
    var simpleTokenRequestorID: [String]?
    var simpleTokenResourceID: [String]?
    /// A date, whatever its name says.
    var simpleTokenTTL: [String]?
    var simpleTokenMsoID: [String]?
    var simpleTokenDeviceID: [DeviceElements]?
}
