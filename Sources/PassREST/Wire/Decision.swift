internal import FoundationEssentials
internal import PassAuth
internal import SharedAuth
internal import SharedAuthHTTP

/// Whether a resource may be watched, as REST v2 says it.
struct Decision: Sendable {
    let resource: String
    let isPermitted: Bool
    /// Why not.
    let error: PassBackendError?
    let kind: AuthenticationProfile.Kind
    /// When it expires, by this machine's clock.
    let expires: Date?
    let mediaToken: String?

    private init?(_ object: JSONObject, _ skew: ClockSkew) {
        guard let resource = object.string("resource"), let isPermitted = object.bool("authorized") else { return nil }
        self.resource = resource
        self.isPermitted = isPermitted
        error = JSONObject(object.members["error"]).map { PassBackendError($0, status: 403) }
        kind =
            switch object.string("source") {
            case "degradation": .degraded
            case "temppass": .temporary
            default: .regular
            }
        let token = JSONObject(object.members["token"])
        expires = (object.milliseconds("notAfter") ?? token?.milliseconds("notAfter")).map(skew.moment)
        mediaToken = token?.string("serializedToken")
    }

    /// The decisions in an answer.
    ///
    /// - Throws: `invalidAnswer` where there is no list of them.
    static func all(in answer: RESTAnswer, at date: Date) throws(PassBackendError) -> [Decision] {
        guard case .array? = answer.object.members["decisions"] else {
            throw PassBackendError(.invalidAnswer, "The answer of Pass has no decisions.")
        }
        let skew = ClockSkew(serverDate: answer.date, at: date)
        return answer.object.objects("decisions").compactMap { Decision($0, skew) }
    }

    /// For showing what can be watched.
    var preauthorized: PreauthorizeResponse.Decision {
        PreauthorizeResponse.Decision(id: resource, authorized: isPermitted, error: error?.serverStatus)
    }
}
