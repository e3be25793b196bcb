import BrowserFlow
import FoundationEssentials
import SharedAuthHTTP

/// The code of the articles about requests and browser sign-in. It is compiled, but not run.
enum RequestExamples {
    static func request(_ url: URL) async {
        // example
        let client = HTTPClient()
        let request = HTTPRequest(
            .post,
            url,
            headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Array("grant_type=refresh_token".utf8)
        )
        do {
            let response = try await client.send(request, retrying: .never)
            print(response.status)
        } catch { print(error.message, error.remedy ?? "") }
        // end of example
    }

    static func signIn(_ page: URL, _ state: String) async throws(BrowserFlowError) {
        // example
        let listener = try RedirectListener()
        // The server's sign-in page, with listener.redirectURI as the redirect_uri and a new state.
        let answer = try await listener.redirect(opening: page, matching: state)
        print(answer.parameters.keys)
        // end of example
    }

    static func show(_ page: URL, _ state: String, _ listener: RedirectListener) async throws(BrowserFlowError) {
        // example
        let visit = try await listener.visit(opening: page, matching: state)
        // Exchange the code in visit.answer for tokens, then:
        visit.show(BrowserPage(title: "Signed in", message: "You can close this page."))
        // end of example
    }
}
