internal import FoundationEssentials
internal import LoopbackServer
internal import SharedAuth
internal import SharedAuthHTTP

/// Dispatching requests. As with Google's emulator, the first component of the path is the host of the real service.
extension Project {
    /// Returns the response to any request.
    func answer(_ request: ServedRequest) async -> ServedAnswer {
        let (site, path) = Self.split(request.path)
        var answer: ServedAnswer
        if ["identitytoolkit.googleapis.com", "securetoken.googleapis.com"].contains(site) {
            if let met = faults.take(for: path) {
                events.note(StandInEvent(kind: .fault, detail: "\(met.fault.kind.rawValue) \(path)"))
                answer = await faults.answer(met) { await self.call(site, path, request) }
            } else {
                answer = await call(site, path, request)
            }
            events.note(StandInEvent(kind: .call, detail: "\(path) \(answer.status)"))
        } else {
            answer = await refusing { () async throws(Refusal) in try await self.control(site, path, request) }
        }
        answer.headers["Date"] = HTTPDate.text(now)
        return answer
    }

    private static func split(_ path: String) -> (site: String, path: String) {
        let parts = path.drop { $0 == "/" }.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        return (parts.first.map(String.init) ?? "", parts.count > 1 ? String(parts[1]) : "")
    }

    /// Runs a call, and converts a thrown refusal to a response.
    private func refusing(_ call: () async throws(Refusal) -> ServedAnswer) async -> ServedAnswer {
        do throws(Refusal) {
            return try await call()
        } catch {
            return error.answer
        }
    }

    private func call(_ site: String, _ path: String, _ request: ServedRequest) async -> ServedAnswer {
        await refusing { () async throws(Refusal) in
            if request.headers["Authorization"] == "Bearer owner" {
                return try await administer(path, try Self.body(of: request))
            }
            try checkKey(request, isRefresh: site.hasPrefix("securetoken"))
            switch (request.method, site, path) {
            case ("POST", "securetoken.googleapis.com", "v1/token"):
                return try await refresh(request)
            case ("GET", _, "v2/passwordPolicy"):
                return .json(settings.passwordPolicy.wire)
            case ("GET", _, "v2/recaptchaConfig"):
                return .json(.object([:]))
            case ("GET", _, "v1/projects"):
                let domains = settings.authorizedDomains.map { JSONValue.string($0) }
                return .json(.object(["projectId": .string("1234567890"), "authorizedDomains": .array(domains)]))
            case ("POST", "identitytoolkit.googleapis.com", _):
                return try await accountCall(path, try Self.body(of: request), request)
            default:
                throw .notFound("\(request.method) \(path)")
            }
        }
    }

    /// Returns the JSON object in a request's body. Refuses a `Content-Type` other than JSON. This excludes HTML forms.
    static func body(of request: ServedRequest) throws(Refusal) -> JSONObject {
        guard request.isJSON else { throw .noJSON }
        if let body = request.json { return body }
        var refusal = Refusal("Invalid JSON payload received. Unexpected token.")
        refusal.name = "INVALID_ARGUMENT"
        throw refusal
    }

    private func checkKey(_ request: ServedRequest, isRefresh: Bool) throws(Refusal) {
        guard let key = request.query["key"] ?? request.headers["x-goog-api-key"], !key.isEmpty else {
            throw .missingKey
        }
        let settings = settings
        guard let rule = settings.keys[key] ?? (settings.takesAnyKey ? .anything : nil) else { throw .unknownKey }
        if let refusal = rule.refusal(ofRefresh: isRefresh) { throw refusal }
    }

    /// Refreshes tokens. Accepts a form, or JSON with either spelling of the members.
    private func refresh(_ request: ServedRequest) async throws(Refusal) -> ServedAnswer {
        let (form, json) = (request.form, request.json)
        func field(_ name: String, _ other: String) -> String? {
            form[name] ?? json?.string(name) ?? json?.string(other)
        }
        guard let kind = field("grant_type", "grantType") else { throw Refusal("MISSING_GRANT_TYPE") }
        guard kind == "refresh_token" else { throw Refusal("INVALID_GRANT_TYPE") }
        guard let token = field("refresh_token", "refreshToken"), !token.isEmpty else {
            throw Refusal("MISSING_REFRESH_TOKEN")
        }
        let grant = try withDirectory { directory, now throws(Refusal) in try directory.refresh(token, at: now) }
        return try await answer(toRefresh: grant)
    }

    /// Executes a call that only the project's back end may make. The path names the project.
    private func administer(_ path: String, _ body: JSONObject) async throws(Refusal) -> ServedAnswer {
        let parts = path.split(separator: "/").map(String.init)
        guard parts.count >= 4, parts[0] == "v1", parts[1] == "projects", parts[2] == id, let operation = parts.last
        else { throw .notFound(path) }
        let reply = try withDirectory { directory, now throws(Refusal) in
            try directory.administer(operation, body, at: now)
        }
        return try await answer(reply)
    }
}
