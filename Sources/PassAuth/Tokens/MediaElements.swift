/// The elements of a `shortAuthorizationToken`, in the order in which they are written.
struct MediaElements: Codable {
    var sessionGUID: [String]?
    var requestorID: [String]?
    var resourceID: [String]?
    var ttl: [String]?
    var issueTime: [String]?
    var mvpdId: [String]?
    var proxyMvpdId: [String]?
}
