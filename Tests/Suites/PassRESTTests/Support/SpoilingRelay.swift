import LoopbackServer
import SharedAuthHTTP
import Synchronization

/// A relay between apps and a server that returns bad responses in the server's place.
final class SpoilingRelay: Sendable {
    /// The form of a response.
    enum Form: String, Sendable, CaseIterable {
        /// A response without a body.
        case empty
        /// A page, as sent by a network portal or a gateway.
        case page
        /// Neither a page nor JSON.
        case garbage
        /// An empty JSON object.
        case blank
        /// A response that ends in the middle.
        case cut
        /// The server's own response, which ends in the middle: the call has taken effect.
        case half
        /// A response that exceeds the size limit.
        case huge
        /// A response that is sent when the relay stops, long after the call has ended.
        case slow
        /// The server's own response, while the clock of the apps is three hours ahead.
        case clockAhead
        /// The server's own response, while the clock of the apps is three hours behind.
        case clockBack
    }

    /// One kind of response.
    struct Spoilt: Sendable, CustomStringConvertible {
        let status: Int
        let form: Form

        var description: String { "\(status) \(form)" }

        /// Every status with every form that applies to it.
        static let all: [Spoilt] =
            [200, 204, 302, 400, 401, 403, 404, 410, 412, 429, 500, 503].flatMap { status in
                [Form.empty, .page, .garbage, .blank].map { Spoilt(status: status, form: $0) }
            } + [Form.cut, .half, .huge, .slow, .clockAhead, .clockBack].map { Spoilt(status: 200, form: $0) }
    }

    private let rule = Mutex<(path: String, spoilt: Spoilt)?>(nil)
    private let held = Mutex<[AsyncStream<Void>.Continuation]>([])
    private let arrivals: AsyncStream<Void>.Continuation
    private let seconds = Mutex(0.0)
    /// Two elements for each response that is held back: when it is requested, and when it is made.
    let waits: AsyncStream<Void>

    init() { (waits, arrivals) = AsyncStream.makeStream(of: Void.self) }

    /// Spoils the responses to paths that contain `path`.
    func spoil(_ path: String, _ spoilt: Spoilt) { rule.withLock { $0 = (path, spoilt) } }

    /// The time by which the clock of the apps is ahead.
    var secondsAhead: Double { seconds.withLock { $0 } }

    /// Stops spoiling, corrects the clock, and releases held responses.
    func stop() {
        seconds.withLock { $0 = 0 }
        rule.withLock { $0 = nil }
        let waiting = held.withLock { held in
            defer { held = [] }
            return held
        }
        for continuation in waiting { continuation.finish() }
    }

    /// Returns the spoilt response to a request, or the server's own.
    func answer(_ request: ServedRequest, server: () async -> ServedAnswer) async -> ServedAnswer {
        guard let (path, spoilt) = rule.withLock({ $0 }), request.path.contains(path) else { return await server() }
        var answer = ServedAnswer(status: spoilt.status)
        switch spoilt.form {
        case .empty: break
        case .page:
            answer.body = Array("<html><body>Not here</body></html>".utf8)
            if spoilt.status == 429 { answer.headers["Retry-After"] = "1" }
        case .garbage: answer.body = [0, 1, 0xFF, 0xFE] + Array("no answer".utf8)
        case .blank: answer.body = Array("{}".utf8)
        case .huge: answer.body = [UInt8](repeating: 0x20, count: 3 << 20)
        case .cut:
            answer.body = Array(#"{"decisions": [{"resource": "news-live", "authorized": true}]}"#.utf8)
            answer.delivery = .bodyPrefix(20)
        case .half: return await server().half
        case .slow:
            let (end, continuation) = AsyncStream.makeStream(of: Void.self)
            held.withLock { $0.append(continuation) }
            arrivals.yield()
            for await _ in end {}
            defer { arrivals.yield() }
            return await server()
        case .clockAhead, .clockBack:
            seconds.withLock { $0 = spoilt.form == .clockAhead ? 10_800 : -10_800 }
            return await server()
        }
        return answer
    }
}
