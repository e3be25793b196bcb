internal import FoundationEssentials
internal import LoopbackServer
internal import SharedAuth
internal import SharedAuthHTTP

/// The control calls and pages of the stand-in, for tests, samples and browsers. Firebase has none of them.
extension Project {
    /// Returns the response to a request that is not a client's call.
    func control(_ site: String, _ path: String, _ request: ServedRequest) async throws(Refusal) -> ServedAnswer {
        switch site {
        case "" where request.headers["Accept"]?.contains("html") == true:
            return .page(Pages.home(id))
        case "":
            let about: [String: JSONValue] = [
                "ready": .bool(true), "project": .string(id), "notice": .string(Pages.notice),
            ]
            return .json(.object(["firebaseStandIn": .object(about)]))
        case "emulator":
            return try emulatorCall(path, request)
        case "www.googleapis.com" where path.hasPrefix("service_accounts/v1/jwk/securetoken@"):
            return .json(try await publicKeys())
        case "stand-in" where request.method == "GET":
            return try await show(path, request)
        case "stand-in":
            return try await change("\(request.method) \(path)", try Self.body(of: request))
        default:
            throw .notFound(request.path)
        }
    }

    private func show(_ path: String, _ request: ServedRequest) async throws(Refusal) -> ServedAnswer {
        switch path {
        case "codes":
            let codes = try withDirectory { directory, _ throws(Refusal) in directory.codes }
            return .page(Pages.codes(codes, at: request.site))
        case "accounts":
            let accounts = try withDirectory { directory, _ throws(Refusal) in Array(directory.accounts.values) }
            return .page(Pages.accounts(accounts.sorted { $0.created < $1.created }))
        case "sign-in":
            return try foreignPage(request.query)
        case "settings":
            return .json(try Self.wire(of: settings))
        case "keys":
            return .json(try await publicKeys())
        case "one-time-password":
            guard let code = TOTP.code(secret: request.query["secret"] ?? "", at: now) else {
                throw Refusal("INVALID_SECRET", "The secret is not base32.")
            }
            return .json(.object(["code": .string(code)]))
        case "events":
            return await news(request.query)
        default:
            throw .notFound(path)
        }
    }

    /// Returns the events after a number. With `wait`, waits up to that many seconds for an event.
    private func news(_ query: FormFields) async -> ServedAnswer {
        let first = max(0, query["after"].flatMap { Int($0) } ?? 0)
        let kind = query["kind"]
        if let seconds = query["wait"].flatMap({ Double($0) }), seconds > 0 {
            _ = await events.first(after: first, within: .seconds(min(seconds, 300))) { event in
                kind == nil || event.kind.rawValue == kind
            }
        }
        let all = events.all
        let list = all.dropFirst(first).filter { kind == nil || $0.kind.rawValue == kind }
        return .json(.object(["events": .array(list.map(\.wire)), "next": .number(Double(all.count))]))
    }

    private func change(_ call: String, _ body: JSONObject) async throws(Refusal) -> ServedAnswer {
        switch call {
        case "PATCH settings":
            let changed: StandInSettings = try Self.decode(try Self.wire(of: settings).merging(body))
            guard changed.isPossible else { throw .malformed }
            settings = changed
            return .json(try Self.wire(of: settings))
        case "POST faults":
            let fault: CallFault = try Self.decode(.object(body.members))
            guard fault.isPossible else { throw .malformed }
            faults.add(fault)
        case "DELETE faults":
            faults.clear()
        case "POST release":
            faults.release()
        case "POST clock":
            guard advanceClock(by: body.members["advance"]?.number ?? 0) else { throw .malformed }
            return .json(.object(["now": .string(now.formatted(.iso8601))]))
        case "POST custom-token":
            return .json(.object(["token": .string(try await mint(CustomTokenOrder(body)))]))
        case "POST id-token":
            return .json(.object(["idToken": .string(try await mint(ForeignTokenOrder(body)))]))
        case "POST access-token":
            let order = try ForeignTokenOrder(body)
            let token = RandomText.make(bytes: 24)
            try withDirectory { directory, _ throws(Refusal) in
                directory.foreignTokens[token] = order.identity
                directory.foreignTokens[token]?.accessToken = token
            }
            return .json(.object(["accessToken": .string(token)]))
        default:
            throw .notFound(call)
        }
        return .json(.object([:]))
    }

    private static func wire(of settings: StandInSettings) throws(Refusal) -> JSONValue {
        guard let data = try? StableJSON.encode(settings), let object = JSONObject(data) else { throw .malformed }
        return .object(object.members)
    }

    private static func decode<Value: Decodable>(_ value: JSONValue) throws(Refusal) -> Value {
        guard let data = try? StableJSON.encode(value),
            let decoded = try? UntrustedJSON.decode(Value.self, from: data)
        else { throw .malformed }
        return decoded
    }
}

extension Refusal {
    static var noJSON: Refusal {
        Refusal("INVALID_ARGUMENT", "Post JSON with the header Content-Type: application/json.")
    }
}

extension JSONValue {
    /// Returns the object with members replaced, including those of nested objects.
    fileprivate func merging(_ body: JSONObject) -> JSONValue {
        guard case .object(var members) = self else { return self }
        for (name, value) in body.members {
            if let inner = JSONObject(value), let own = members[name] {
                members[name] = own.merging(inner)
            } else {
                members[name] = value
            }
        }
        return .object(members)
    }
}

extension CustomTokenOrder {
    fileprivate init(_ body: JSONObject) throws(Refusal) {
        guard let uid = body.string("uid") else { throw .malformed }
        self.init(uid: uid)
        claims = JSONObject(body.members["claims"])?.members ?? [:]
        tenantID = body.string("tenantId")
        seconds = body.seconds("seconds").map { Int($0) } ?? seconds
        isForAnotherProject = body.bool("isForAnotherProject") ?? false
    }
}

extension ForeignTokenOrder {
    fileprivate init(_ body: JSONObject) throws(Refusal) {
        guard let provider = body.string("providerId"), let subject = body.string("subject") else { throw .malformed }
        self.init(providerID: provider, subject: subject)
        email = body.string("email")
        isEmailVerified = body.bool("emailVerified") ?? isEmailVerified
        name = body.string("name")
        nonce = body.string("nonce")
        audience = body.string("audience") ?? audience
        seconds = body.seconds("seconds").map { Int($0) } ?? seconds
    }
}

extension Refusal {
    fileprivate static let malformed = Refusal("MALFORMED", "A member is missing, unknown or of another type.")
}
