/// The `authorizedResources` of an authentication token.
struct AuthorizedResourcesElement: Codable {
    var authorizedResource: [AuthorizedResourceElement]?
}

extension AuthorizedResourcesElement {
    static func list(_ ids: [String]) throws(PassTokenError) -> [AuthorizedResourcesElement] {
        var resources: [AuthorizedResourceElement] = []
        for id in ids {
            resources.append(AuthorizedResourceElement(resourceID: try TokenText.checked(id, "authorizedResource")))
        }
        return [AuthorizedResourcesElement(authorizedResource: resources)]
    }
}

extension [AuthorizedResourcesElement]? {
    /// The resources; nil when the token has no list of them at all.
    func resourceIDs() throws(PassTokenError) -> [String]? {
        guard let all = self, let list = all.first else { return nil }
        guard all.count == 1 else { throw .repeated("authorizedResources") }
        return (list.authorizedResource ?? []).map { TokenText.trimmed($0.resourceID) }
    }
}
