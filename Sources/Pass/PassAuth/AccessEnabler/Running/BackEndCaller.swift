/// Makes the back end calls that an engine requests.
struct BackEndCaller: Sendable {
    let backEnd: any PassBackend
    let softwareStatement: String

    func answer(
        _ question: BackEndQuestion,
        _ request: PassRequest
    ) async throws(PassBackendError) -> BackEndAnswer {
        switch question {
        case .registration(let options):
            try await backEnd.register(softwareStatement, options)
            return .done
        case .configuration:
            return .configuration(try await backEnd.configuration(request))
        case .start(let redirect):
            return .start(try await backEnd.startAuthentication(request, redirect))
        case .profile(let attempt):
            return .profile(try await backEnd.profile(request, of: attempt))
        case .passiveProfile:
            return .profile(try await backEnd.passiveProfile(request))
        case .authorization(let resource):
            return .authorization(try await backEnd.authorize(request, resource: resource))
        case .mediaToken(let authorization):
            return .mediaToken(try await backEnd.mediaToken(request, for: authorization))
        case .preauthorization(let question):
            return .decisions(try await backEnd.preauthorize(request, question))
        case .userMetadata:
            return .metadata(try await backEnd.userMetadata(request))
        case .logOutURL(let redirect):
            return .logOutURL(try await backEnd.logOutURL(request, redirect))
        }
    }
}
