internal import FoundationEssentials
internal import PassAuth
internal import SharedAuthHTTP

/// Sends requests, and has errors in the terms of a back end.
struct PassHTTP: Sendable {
    private let client: HTTPClient
    let now: @Sendable () -> Date

    init(_ client: HTTPClient, _ now: @escaping @Sendable () -> Date) { (self.client, self.now) = (client, now) }

    func response(to request: HTTPRequest, isRepeatable: Bool) async throws(PassBackendError) -> HTTPResponse {
        do throws(HTTPError) {
            return try await client.send(request, retrying: isRepeatable ? .idempotent : .never)
        } catch {
            throw PassBackendError(error)
        }
    }
}

extension PassBackendError {
    fileprivate init(_ error: HTTPError) {
        let code: Code =
            switch error.code {
            case .timedOut: .timedOut
            case .tls, .notHTTPS: .insecure
            case .malformedAnswer, .bodyTooLarge: .invalidAnswer
            case .invalidRequest: .badRequest
            // Also a redirect to another server: that is the page of a network that wants to be signed in to.
            default: .network
            }
        self.init(code, [error.message, error.remedy].compactMap(\.self).joined(separator: " "))
    }
}
