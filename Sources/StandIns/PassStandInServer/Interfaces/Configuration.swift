internal import FoundationEssentials
internal import LoopbackServer
internal import SharedAuth

// The configuration, which a programmer's apps request first: its domains and its TV providers.

extension Route {
    static let configuration = [
        Route("configuration", "GET", "api/v2/{sp}/configuration") { state, call, now throws(Refusal) in
            _ = try state.caller(call, now: now)
            let programmer = try state.programmer(call.parameter("sp"))
            let mvpds = state.providers.filter { !programmer.disabled.contains($0.id) }
            let address = "http://\(call[header: "Host"] ?? "127.0.0.1")"
            return .json(.object(["requestor": programmer.json(with: mvpds.map { $0.json(at: address) })]))
        }
    ]
}

extension Programmer {
    fileprivate func json(with mvpds: [JSONValue]) -> JSONValue {
        let domains = domains.map { JSONValue.object(["name": .string($0), "mvpdInitiated": .bool(false)]) }
        return .object([
            "id": .string(id), "name": .string(name), "domains": .array(domains), "mvpds": .array(mvpds),
        ])
    }
}

extension Provider {
    fileprivate func json(at address: String) -> JSONValue {
        let flags = [
            "authPerAggregator": isPerRequestor, "passiveAuthnEnabled": isPassive, "isTempPass": temporaryPass != nil,
            // Adobe documents the behaviour but not the name of the field.
            "demandsSecureBrowser": demandsSecureBrowser,
        ]
        let members: [String: JSONValue] = [
            "id": .string(id), "displayName": .string(displayName),
            "logoUrl": .string("\(address)/mvpd/\(id)/logo.svg"),
        ]
        // A missing flag means false.
        return .object(members.merging(flags.filter(\.value).mapValues(JSONValue.bool)) { $1 })
    }
}
