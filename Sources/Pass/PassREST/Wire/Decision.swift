internal import FoundationEssentials
internal import PassAuth
internal import SharedAuth
internal import SharedAuthHTTP

/// A decision of REST v2: permission to watch a resource, or its denial.
struct Decision: Sendable {
    let resource: String
    let isPermitted: Bool
    /// The reason for a denial.
    let error: PassBackendError?
    let kind: AuthenticationProfile.Kind
    /// The expiry date by this machine's clock.
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

    /// Returns the decisions in a response.
    ///
    /// - Throws: `invalidAnswer` if the response has no list of decisions.
    static func all(in answer: RESTAnswer, at date: Date) throws(PassBackendError) -> [Decision] {
        guard case .array? = answer.object.members["decisions"] else {
            throw PassBackendError(.invalidAnswer, "The response from Pass has no decisions.")
        }
        let skew = ClockSkew(serverDate: answer.date, at: date)
        return answer.object.objects("decisions").compactMap { Decision($0, skew) }
    }

    /// The decision as `preauthorize` returns it.
    var preauthorized: PreauthorizeResponse.Decision {
        PreauthorizeResponse.Decision(id: resource, authorized: isPermitted, error: error?.serverStatus)
    }
}
