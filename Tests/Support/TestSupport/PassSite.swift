internal import FoundationEssentials
package import SharedAuth
package import SharedAuthHTTP
internal import Testing

/// A stand-in for Pass's servers, with the actions of a test: over HTTP, as a user with a browser, and with its
/// switches.
package protocol PassSite: SendableMetatype {
    /// The server's address, such as `http://127.0.0.1:8080`.
    var address: String { get }
    /// The password that its login pages accept.
    var password: String { get }
}

extension PassSite {
    /// Sends a request to a path or an address and returns the response without following redirects.
    package func send(
        _ method: HTTPRequest.Method,
        _ place: String,
        _ headers: HTTPHeaders = [:],
        _ body: String? = nil
    ) async throws -> HTTPResponse {
        try await Self.send(method, to: place.hasPrefix("http") ? place : address + place, headers, body)
    }

    package static func send(
        _ method: HTTPRequest.Method,
        to address: String,
        _ headers: HTTPHeaders = [:],
        _ body: String? = nil
    ) async throws -> HTTPResponse {
        let url = try #require(URL(string: address))
        let request = HTTPRequest(method, url, headers: headers, body: body.map { Array($0.utf8) })
        return try await LibsoupTransport.libsoup.send(request, within: HTTPLimits(exchange: .seconds(60)))
    }

    /// Posts a form.
    package func post(
        _ place: String,
        _ form: [String: String],
        _ headers: HTTPHeaders = [:]
    ) async throws -> HTTPResponse {
        var headers = headers
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        return try await send(.post, place, headers, FormEncoding.encode(form.map { ($0.key, $0.value) }))
    }

    /// Posts JSON.
    package func post(
        _ place: String,
        json: JSONValue,
        _ headers: HTTPHeaders = [:]
    ) async throws -> HTTPResponse {
        var headers = headers
        headers["Content-Type"] = "application/json"
        return try await send(.post, place, headers, json.text)
    }
}

/// The actions of a user with a browser.
extension PassSite {
    /// Signs in at a page with one click; returns the browser's next address.
    package func signIn(at page: String) async throws -> String {
        try #require(try await send(.get, page + "?grant=1").headers["Location"])
    }

    /// Signs in on the login page that a page leads to; returns the browser's next address.
    package func fillIn(_ page: String) async throws -> String {
        let login = try #require(try await send(.get, page).headers["Location"], "\(page)")
        let parts = login.split(separator: "?code=")
        let form = ["code": String(parts[1]), "username": "viewer", "password": password]
        let done = try await post(String(parts[0]), form)
        if let address = done.headers["Location"] { return address }
        // A custom scheme is a link on the page.
        let link = try #require(done.text.split(separator: "id=\"app\" href=\"").last?.split(separator: "\"").first)
        return String(link).replacing("&amp;", with: "&")
    }

    /// Types a code on the page for codes; returns the page that it leads to.
    package func type(_ code: String) async throws -> String {
        address + (try #require(try await post("/activate", ["code": code]).headers["Location"]))
    }
}

/// The server's switches and recorded events.
extension PassSite {
    /// Turns a switch. The order is JSON.
    package func turn(_ name: String, _ order: String) async throws {
        let answer = try await post("/control/\(name)", json: try #require(JSONValue(bytes: order.utf8)))
        #expect(answer.status == 200, "\(answer.text)")
    }

    /// Makes the next responses of an endpoint fail.
    package func spoil(_ endpoint: String, _ fault: String, times: Int = 1) async throws {
        try await turn("fault", #"{"endpoint": "\#(endpoint)", "fault": "\#(fault)", "times": \#(times)}"#)
    }

    /// Returns the recorded events in order.
    package func events() async throws -> [JSONValue] {
        guard case .array(let events)? = try await send(.get, "/control/events").json else { return [] }
        return events
    }

    /// Returns the recorded events with this name.
    package func events(_ name: String) async throws -> [JSONValue] {
        try await events().filter { $0["event"]?.string == name }
    }

    /// Returns how often an endpoint responded or refused.
    package func count(_ endpoint: String) async throws -> Int {
        try await events().count {
            ["answered", "refused"].contains($0["event"]?.string) && $0["endpoint"]?.string == endpoint
        }
    }
}

extension HTTPResponse {
    package var text: String { String(decoding: body, as: UTF8.self) }
    package var json: JSONValue? { JSONValue(bytes: body) }
}
