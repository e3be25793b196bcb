import SharedAuth
import SharedAuthHTTP
import Synchronization

@testable import OpenIDConnect

/// What a plain OAuth 2 server has besides the endpoints of an OpenID provider.
extension ScriptedIssuer {
    func introspect(_ form: [String: String]) -> HTTPResponse {
        let (subject, change) = script.withLock { ($0.subjects[form["token"] ?? ""], $0.changeIntrospection) }
        var answer: [String: JSONValue] = ["active": .bool(subject != nil), "client_id": "desktop"]
        if let subject { answer["sub"] = .string(subject) }
        change(&answer)
        return .json(answer)
    }

    func register(_ request: HTTPRequest) -> HTTPResponse {
        script.withLock { script in
            let members = JSONObject(request.body ?? [])?.members ?? [:]
            script.registrations.append(members)
            var answer: [String: JSONValue] = [
                "client_id": .string("client-\(script.registrations.count)"), "token_endpoint_auth_method": "none",
            ]
            script.changeRegistration(&answer)
            return .json(answer, status: 201)
        }
    }
}
