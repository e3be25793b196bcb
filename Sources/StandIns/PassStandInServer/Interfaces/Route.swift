internal import FoundationEssentials
internal import LoopbackServer
internal import SharedAuthHTTP

/// An endpoint: its method, its path, and the function that responds.
struct Route: Sendable {
    typealias Answer = @Sendable (inout ServerState, Call, Date) throws(Refusal) -> ServedAnswer

    /// The name of the endpoint, which tests use for faults and latencies.
    let name: String
    let method: String
    /// The path pattern. A component in braces is a parameter and matches any component.
    let pattern: String
    let answer: Answer

    init(_ name: String, _ method: String, _ pattern: String, answer: @escaping Answer) {
        (self.name, self.method, self.pattern, self.answer) = (name, method, pattern, answer)
    }

    /// Returns the values of the path parameters, or nil if the path does not match.
    func parameters(of path: [String]) -> [String: String]? {
        let parts = pattern.split(separator: "/")
        guard parts.count == path.count else { return nil }
        var parameters: [String: String] = [:]
        for (part, given) in zip(parts, path) {
            if part.first == "{", part.last == "}" {
                parameters[String(part.dropFirst().dropLast())] = given
            } else if part != given {
                return nil
            }
        }
        return parameters
    }

    /// All routes. The first match is used.
    static let all: [Route] =
        registration + configuration + signIn + profiles + decisions + logOut + tokens + pages + control

    /// Returns the route of a call, and the call with its path parameters.
    ///
    /// - Throws: A refusal with status 404 for an unknown path, or 405 for another method.
    static func find(_ call: Call) throws(Refusal) -> (Route, Call) {
        var isOther = false
        for route in all {
            guard let parameters = route.parameters(of: call.request.pathParts) else { continue }
            guard route.method == call.request.method else {
                isOther = true
                continue
            }
            var call = call
            call.parameters = parameters
            return (route, call)
        }
        if isOther { throw Refusal(405, "method_not_allowed", "This address is not for \(call.request.method).") }
        throw .notFound("such address")
    }

    /// True for Pass's documented endpoints, whose calls are throttled.
    var isOfPass: Bool { !isForPeople && (pattern.hasPrefix("api/") || pattern.hasPrefix("o/")) }

    /// True if the response is a page for a browser.
    var isForPeople: Bool {
        name == "authenticate" || ["mvpd", "activate", "activated"].contains(pattern.prefix { $0 != "/" })
    }
}

extension ServerState {
    /// Returns the response to a call, by the server's time.
    mutating func answer(_ route: Route, _ call: Call, at now: Date) -> ServedAnswer {
        let now = date(at: now)
        var answer = decide(route, call, now)
        answer.headers["Date"] = HTTPDate.text(now)
        return answer
    }

    private mutating func decide(_ route: Route, _ call: Call, _ now: Date) -> ServedAnswer {
        if route.isOfPass, throttle != nil {
            let device = call[header: "AP-Device-Identifier"] ?? ""
            if throttle?.admit(device, now: now) == false {
                journal.note("throttled", ["endpoint": route.name])
                return .throttled
            }
        }
        do throws(Refusal) {
            let answer = try route.answer(&self, call, now)
            if route.isOfPass { journal.note("answered", ["endpoint": route.name, "status": "\(answer.status)"]) }
            return answer
        } catch {
            journal.note("refused", ["endpoint": route.name, "status": "\(error.status)", "code": error.code])
            guard route.isForPeople else { return error.answer }
            return Page.of(server: "The request failed", Page.paragraph(error.message)).answer(status: error.status)
        }
    }
}

extension ServedAnswer {
    /// Pass's response to too many calls, which is HTML.
    static let throttled = ServedAnswer(
        status: 429,
        headers: ["Content-Type": "text/html", "Retry-After": "1"],
        body: Array("<html><body><h1>429 Too Many Requests</h1></body></html>".utf8)
    )
}
