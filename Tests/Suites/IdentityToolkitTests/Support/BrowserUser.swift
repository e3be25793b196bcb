import BrowserFlow
import Foundation
import SharedAuth
import SharedAuthHTTP
import Synchronization

@testable import IdentityToolkit

/// A person at a browser: goes where the app sends the browser, and comes back to the app's own listener.
final class BrowserUser: Sendable {
    /// The query that the browser returns with, besides the state.
    typealias Answer = [String: String]

    private let visited = Mutex<[URL]>([])
    private let answer: @Sendable (_ page: URL, _ query: [String: String]) -> Answer
    private let comesBack: Bool
    private let (opening, open) = AsyncStream<Void>.makeStream()

    init(_ answer: @escaping @Sendable (_ page: URL, _ query: [String: String]) -> Answer) {
        (self.answer, comesBack) = (answer, true)
    }

    /// One who looks at the page, and leaves.
    init(comesBack: Bool) {
        (answer, self.comesBack) = ({ _, _ in [:] }, comesBack)
    }

    /// Waits until a page is open.
    func waitForPage() async { for await _ in opening { break } }

    /// The pages that were opened, in order.
    var pages: [URL] { visited.withLock { $0 } }

    /// The parameters of the page that was opened last.
    var query: [String: String] { pages.last.map(Self.query) ?? [:] }

    /// An opener of this browser.
    var settings: BrowserSettings {
        var settings = BrowserSettings()
        settings.opener = BrowserOpener { [self] url throws(BrowserFlowError) in
            visited.withLock { $0.append(url) }
            open.yield()
            let query = Self.query(url)
            guard comesBack, let back = query["redirect_uri"], let state = query["state"] else { return }
            let items = answer(url, query).merging(["state": state]) { $1 }.map { (name: $0.key, value: $0.value) }
            // The listener shuts when it has its answer, so that what this request comes to is nobody's business.
            _ = try? await HTTPClient().send(
                HTTPRequest(url: "\(back)?\(FormEncoding.encode(items))"),
                retrying: .never
            )
        }
        return settings
    }

    private static func query(_ url: URL) -> [String: String] {
        let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
    }
}

extension HTTPRequest {
    fileprivate init(url text: String) { self.init(.get, URL(string: text) ?? URL(filePath: "/")) }
}
