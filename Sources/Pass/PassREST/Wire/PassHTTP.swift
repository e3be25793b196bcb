internal import FoundationEssentials
internal import PassAuth
internal import SharedAuthHTTP

/// Sends requests and converts HTTP errors to `PassBackendError`.
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
            // Includes a redirect to another server, which is usually the login page of a captive portal.
            default: .network
            }
        self.init(code, [error.message, error.remedy].compactMap(\.self).joined(separator: " "))
    }
}
