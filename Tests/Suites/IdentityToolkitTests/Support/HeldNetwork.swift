import Foundation
import SharedAuthHTTP

/// The way to a stand-in for Firebase on which one answer is held back; it is lost if the task that waits is cancelled.
final class HeldNetwork: HTTPTransport {
    private let firebase: FirebaseTransport
    private let path: String
    private let (arrivals, arrival) = AsyncStream<Void>.makeStream()
    private let (releases, release) = AsyncStream<Void>.makeStream()

    init(_ firebase: FirebaseTransport, holding path: String) { (self.firebase, self.path) = (firebase, path) }

    /// Waits until Firebase has acted on the request.
    func waitForRequest() async { for await _ in arrivals { break } }

    /// Lets the answer through.
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
