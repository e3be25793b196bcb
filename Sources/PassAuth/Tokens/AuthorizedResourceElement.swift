internal import XMLCoder

/// One `authorizedResource`: its id is an attribute.
struct AuthorizedResourceElement: Codable {
    @Attribute var resourceID: String
}

extension AuthorizedResourceElement {
    init(resourceID: String) {
        _resourceID = Attribute(resourceID)
    }
}
