import BrowserFlow
import Foundation
import SharedAuth
import SharedAuthHTTP
import Synchronization

@testable import IdentityToolkit

/// A user with a browser: opens the page that the app requests, and returns to the app's listener.
final class BrowserUser: Sendable {
    /// The query that the browser returns with, without the state.
    typealias Answer = [String: String]

    private let visited = Mutex<[URL]>([])
    private let answer: @Sendable (_ page: URL, _ query: [String: String]) -> Answer
    private let comesBack: Bool
    private let (opening, open) = AsyncStream<Void>.makeStream()

    init(_ answer: @escaping @Sendable (_ page: URL, _ query: [String: String]) -> Answer) {
        (self.answer, comesBack) = (answer, true)
    }

    /// Creates a user who opens the page, and returns from it only if `comesBack` is true.
    init(comesBack: Bool) {
        (answer, self.comesBack) = ({ _, _ in [:] }, comesBack)
    }

    /// Waits until a page is open.
    func waitForPage() async { for await _ in opening { break } }

    /// The pages that were opened, in order.
    var pages: [URL] { visited.withLock { $0 } }

    /// The parameters of the last opened page.
    var query: [String: String] { pages.last.map(Self.query) ?? [:] }

    /// Settings that open pages in this browser.
    var settings: BrowserSettings {
        var settings = BrowserSettings()
        settings.opener = BrowserOpener { [self] url throws(BrowserFlowError) in
            visited.withLock { $0.append(url) }
            open.yield()
            let query = Self.query(url)
            guard comesBack, let back = query["redirect_uri"], let state = query["state"] else { return }
            let items = answer(url, query).merging(["state": state]) { $1 }.map { (name: $0.key, value: $0.value) }
            // The listener closes when it has its response, so the result of this request does not matter.
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
