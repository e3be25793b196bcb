public import PassAuth

extension PassRESTBackend {
    /// The programmer's configuration; its clock is the one of the server's answer.
    public func configuration(_ request: PassRequest) async throws(PassBackendError) -> PassConfiguration {
        let call = RESTCall.configuration(request.requestor, profile: request.options.applicationProfile)
        return try PassConfiguration(try await answer(to: call, for: Caller(request)))
    }
}
