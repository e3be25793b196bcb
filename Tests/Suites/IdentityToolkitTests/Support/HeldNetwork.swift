import Foundation
import SharedAuthHTTP

/// A transport to a stand-in for Firebase that holds back one response. Cancelling the waiting task loses the response.
final class HeldNetwork: HTTPTransport {
    private let firebase: FirebaseTransport
    private let path: String
    private let (arrivals, arrival) = AsyncStream<Void>.makeStream()
    private let (releases, release) = AsyncStream<Void>.makeStream()

    init(_ firebase: FirebaseTransport, holding path: String) { (self.firebase, self.path) = (firebase, path) }

    /// Waits until Firebase has processed the request.
    func waitForRequest() async { for await _ in arrivals { break } }

    /// Releases the response.
    func letGo() { release.yield() }

    func send(_ request: HTTPRequest, within limits: HTTPLimits) async throws(HTTPError) -> HTTPResponse {
        let answer = try await firebase.send(request, within: limits)
        guard request.url.path.hasSuffix(path) else { return answer }
        arrival.yield()
        for await _ in releases { break }
        if Task.isCancelled { throw HTTPError(.cancelled, "The call was cancelled.", requestWasSent: true) }
        return answer
    }
}
