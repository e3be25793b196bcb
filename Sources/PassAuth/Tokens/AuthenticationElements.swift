/// The elements of a `simpleAuthenticationToken`, in the order in which they are written.
///
/// All are lists, so that one too few or too many can be told from one that is damaged.
struct AuthenticationElements: Codable {
    var simpleTokenAuthenticationGuid: [String]?
    var simpleTokenRequestorID: [String]?
    var simpleTokenDomainName: [String]?
    var simpleTokenExpires: [String]?
    var simpleTokenMsoID: [String]?
    var simpleTokenDeviceID: [DeviceElements]?
    var authorizedResources: [AuthorizedResourcesElement]?
}
