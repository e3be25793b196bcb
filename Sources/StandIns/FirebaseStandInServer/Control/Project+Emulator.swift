internal import FoundationEssentials
internal import LoopbackServer
internal import SharedAuth
internal import SharedAuthHTTP

/// The control calls of Google's emulator, for tools that use them.
extension Project {
    func emulatorCall(_ path: String, _ request: ServedRequest) throws(Refusal) -> ServedAnswer {
        if path == "action" { return try follow(request) }
        let parts = path.split(separator: "/").map(String.init)
        guard parts.count >= 4, parts[0] == "v1", parts[1] == "projects", parts[2] == id else { throw .notFound(path) }
        let tenantID = parts.count == 6 && parts[3] == "tenants" ? parts[4] : nil
        switch (request.method, parts.last) {
        case ("DELETE", "accounts"):
            forget(tenantID: tenantID)
            return .json(.object([:]))
        case ("GET", "config"):
            return config
        case ("PATCH", "config"):
            return try configure(try Self.body(of: request))
        case ("GET", "oobCodes"):
            let codes = try withDirectory { directory, _ throws(Refusal) in directory.codes }
            return .json(.object(["oobCodes": .array(codes.map { $0.wire(at: request.site) })]))
        case ("GET", "verificationCodes"):
            return .json(.object(["verificationCodes": .array([])]))
        default:
            throw .notFound(path)
        }
    }

    private var config: ServedAnswer {
        let settings = settings
        return .json(
            .object([
                "signIn": .object(["allowDuplicateEmails": .bool(settings.allowsDuplicateAddresses)]),
                "emailPrivacyConfig": .object(["enableImprovedEmailPrivacy": .bool(settings.protectsAddresses)]),
            ])
        )
    }

    private func configure(_ body: JSONObject) throws(Refusal) -> ServedAnswer {
        try withDirectory { directory, _ throws(Refusal) in
            if let allows = JSONObject(body.members["signIn"])?.bool("allowDuplicateEmails") {
                directory.settings.allowsDuplicateAddresses = allows
            }
            if let protects = JSONObject(body.members["emailPrivacyConfig"])?.bool("enableImprovedEmailPrivacy") {
                directory.settings.protectsAddresses = protects
            }
        }
        return config
    }

    /// Executes the action of an e-mail's link, like Firebase's action page.
    private func follow(_ request: ServedRequest) throws(Refusal) -> ServedAnswer {
        let query = request.query
        var members: [String: JSONValue] = [:]
        members.set("oobCode", query["oobCode"])
        members.set("tenantId", query["tenantId"])
        switch query["mode"] {
        case "signIn":
            guard let url = query["continueUrl"] else { throw Refusal("MISSING_CONTINUE_URI") }
            let rest = FormEncoding.encode(query.all.filter { $0.name != "continueUrl" })
            return .redirect(to: url + (url.contains("?") ? "&" : "?") + rest)
        case "resetPassword":
            guard let password = query["newPassword"] else { return .page(Pages.newPassword(query)) }
            members["newPassword"] = .string(password)
            try withDirectory { directory, now throws(Refusal) in
                _ = try directory.resetPassword(JSONObject(members: members), at: now)
            }
            return .page(Pages.done("The password is changed", "Sign in with it.", leadsTo: query["continueUrl"]))
        case "verifyEmail", "verifyAndChangeEmail", "recoverEmail":
            try withDirectory { directory, now throws(Refusal) in
                _ = try directory.applyCode(JSONObject(members: members), at: now)
            }
            return .page(Pages.done("Done", "The address is verified.", leadsTo: query["continueUrl"]))
        default:
            throw Refusal("INVALID_REQ_TYPE")
        }
    }
}

extension OneTimeCode {
    fileprivate func wire(at site: String) -> JSONValue {
        var members: [String: JSONValue] = [
            "email": .string(email), "requestType": .string(kind.rawValue), "oobCode": .string(code),
            "oobLink": .string(link(at: site)), "expires": .string(expires.formatted(.iso8601)),
            "language": .string(language),
        ]
        members.set("newEmail", newEmail)
        members.set("tenantId", tenantID)
        return .object(members)
    }
}
