internal import FoundationEssentials
internal import LoopbackServer
internal import SharedAuth

// Log-out: ends the profile at Pass immediately, and returns the TV provider's log-out page.

extension Route {
    static let logOut = [
        Route("logout", "GET", "api/v2/{sp}/logout/{mvpd}") { state, call, now throws(Refusal) in
            let caller = try state.caller(call, now: now)
            let programmer = try state.programmer(call.parameter("sp"))
            let provider = try state.provider(call.parameter("mvpd"), of: programmer)
            let wasSignedIn = state.profiles.remove(programmer.id, provider.id, for: caller)
            state.journal.note(
                "logout",
                ["requestor": programmer.id, "mvpd": provider.id, "wasSignedIn": "\(wasSignedIn)"]
            )
            var answer: [String: JSONValue] = ["mvpd": .string(provider.id)]
            if wasSignedIn, provider.hasLogOutPage {
                let address = call.query["redirectUrl"].map { "?redirectUrl=\($0.queryEscaped)" } ?? ""
                answer["actionName"] = .string("logout")
                answer["actionType"] = .string("interactive")
                answer["url"] = .string("/mvpd/\(provider.id)/logout\(address)")
            } else {
                answer["actionName"] = .string(wasSignedIn ? "complete" : "invalid")
                answer["actionType"] = .string("none")
            }
            return .json(.object(["logouts": .object([provider.id: .object(answer)])]))
        }
    ]
}

extension String {
    /// The string, escaped as a value in a query.
    var queryEscaped: String {
        utf8.reduce(into: "") { text, byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                byte < 0x80 && (scalar.properties.isAlphabetic || "0123456789-._~".unicodeScalars.contains(scalar))
            if isPlain {
                text.unicodeScalars.append(scalar)
            } else {
                text += "%" + String(byte >> 4, radix: 16).uppercased() + String(byte & 15, radix: 16).uppercased()
            }
        }
    }
}
