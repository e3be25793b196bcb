import BrowserFlow
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@Suite("The browser's visit")
struct VisitTests {
    /// Returns a browser that has been redirected, and the app's visit for it.
    private func visit(
        within pageTime: Duration = .seconds(600)
    ) async throws -> (browser: RawConnection, visit: RedirectVisit) {
        let listener = try RedirectListener(page: BrowserPage(title: "Usual", message: ""))
        let port = try #require(listener.redirectURI.port)
        let browser = try #require(RawConnection(port))
        browser.send("GET /callback?state=s HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        return (browser, try await listener.visit(matching: "s", pageTime: pageTime))
    }

    @Test("The browser waits for its page and shows the first one")
    func page() async throws {
        let (browser, visit) = try await visit()
        #expect(visit.answer.parameters == ["state": "s"])
        #expect(!browser.hasHeard)
        visit.show(BrowserPage(title: "Signed in", message: "A & B"))
        visit.show(BrowserPage(title: "Failed", message: ""))
        let text = browser.receive()
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.contains("<h1>Signed in</h1><p>A &amp; B</p>"))
        #expect(!text.contains("Failed"))
    }

    @Test("A browser past its time limit shows the listener's page; a later page is ignored")
    func late() async throws {
        let (browser, visit) = try await visit(within: .milliseconds(20))
        let text = browser.receive()
        #expect(text.contains("<h1>Usual</h1>"))
        visit.show(BrowserPage(title: "Signed in", message: ""))
    }

    @Test("A released visit shows the listener's page")
    func givenUp() async throws {
        let browser = try await visit().browser
        let text = browser.receive()
        #expect(text.contains("<h1>Usual</h1>"))
    }

    @Test("A closed browser causes no error")
    func closed() async throws {
        var (browser, visit): (RawConnection?, RedirectVisit) = try await visit()
        browser?.resetWhenClosed()
        browser = nil
        visit.show(BrowserPage(title: "Signed in", message: ""))
    }
}
