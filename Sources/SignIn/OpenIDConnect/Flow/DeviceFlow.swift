internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// The device authorization grant (RFC 8628): the user enters a code in any browser, on any machine.
struct DeviceFlow: Sendable {
    static let grantType = "urn:ietf:params:oauth:grant-type:device_code"

    let target: any SignInTarget
    let parameters: SignInParameters
    let time: SignInTime
    let show: @Sendable (DeviceCode) -> Void
    let userIsDone: @Sendable () -> Void

    /// Signs the user in.
    func run() async throws(AuthError) -> OAuthCredential {
        let server = try await target.server()
        guard let endpoint = server.deviceEndpoint else { throw .withoutDeviceCodes }
        let request = Request(
            scopes: target.scopes(at: server),
            added: target.addedScope(at: server),
            parameters: parameters,
            resources: target.resourceParameters,
            secrets: SignInSecrets(target.dependencies.random)
        )
        let (codes, asked) = try await codes(for: request, from: endpoint, at: server)
        show(codes.shown)
        let tokens = try await tokens(for: codes, asked, at: server)
        userIsDone()
        return try await target.usableCredential(
            of: tokens,
            asking: asked.allScopes,
            rawNonce: nil,
            maxAge: asked.parameters.maxAge,
            at: server
        )
    }

    /// The request for a code.
    private struct Request: Sendable {
        /// The scopes that the app asks for.
        let scopes: [String]
        /// The scope that is added.
        var added: String?
        let parameters: SignInParameters
        /// The resource servers that the access tokens are for.
        let resources: [(name: String, value: String)]
        let secrets: SignInSecrets

        /// All scopes.
        var allScopes: [String] { scopes + (added.map { [$0] } ?? []) }

        /// The form. A server that does not know the challenge ignores it (RFC 8628 §3.1).
        var form: [(name: String, value: String)] {
            (allScopes.isEmpty ? [] : [("scope", allScopes.joined(separator: " "))]) + secrets.challengeItems
                + parameters.items + resources
        }
    }

    /// The codes that the server issues first.
    private struct Codes: Sendable {
        let deviceCode: String
        let shown: DeviceCode
        let polling: DevicePolling
        let received: Duration
    }

    /// Requests codes, and once more without the added scope if the server may have refused that. Returns the request
    /// that was granted, too.
    private func codes(
        for request: Request,
        from endpoint: WebAddress,
        at server: ServerMetadata
    ) async throws(AuthError) -> (Codes, Request) {
        let authentication = target.authentication(at: server)
        let answer = try await target.backchannel.post(request.form, to: endpoint, as: authentication, "a device code")
        switch answer {
        case .refused(let refusal):
            guard request.added != nil, AddedScope.mayBeRefused(by: refusal, of: .deviceCode) else {
                throw refusal.error(of: .deviceCode)
            }
            target.noteRefusalOfAddedScope()
            var lesser = request
            lesser.added = nil
            return try await codes(for: lesser, from: endpoint, at: server)
        case .object(let object):
            return (try codes(in: object, at: server), request)
        }
    }

    /// Reads the codes in a response.
    private func codes(in object: JSONObject, at server: ServerMetadata) throws(AuthError) -> Codes {
        guard let deviceCode = object.string("device_code") else { throw .lacking("device_code", in: "device code") }
        guard let userCode = object.string("user_code"), Self.canBeShown(userCode) else {
            throw .lacking("user_code", in: "device code")
        }
        // Some servers name the member `verification_url`.
        let text = object.string("verification_uri") ?? object.string("verification_url")
        guard let address = text.flatMap(WebAddress.init), address.isAllowed(byServerOnThisMachine: server.isLocal)
        else {
            throw .lacking("verification_uri", in: "device code")
        }
        let complete = object.string("verification_uri_complete").flatMap(WebAddress.init)
        let isCompleteAllowed = complete?.isAllowed(byServerOnThisMachine: server.isLocal) == true
        let lifetime = object.seconds("expires_in").flatMap { $0 > 0 ? $0 : nil } ?? 600
        return Codes(
            deviceCode: deviceCode,
            shown: DeviceCode(
                userCode: userCode,
                verificationURL: address.url,
                completeVerificationURL: isCompleteAllowed ? complete?.url : nil,
                expirationDate: target.dependencies.now().addingTimeInterval(lifetime)
            ),
            polling: DevicePolling(interval: object.seconds("interval"), lifetime: lifetime),
            received: target.dependencies.elapsed()
        )
    }

    /// Returns whether a person can read a code: it is shown unchanged, also on a terminal.
    private static func canBeShown(_ code: String) -> Bool {
        code.utf8.count <= 256
            && code.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    }

    /// Polls until the user is done.
    private func tokens(
        for codes: Codes,
        _ request: Request,
        at server: ServerMetadata
    ) async throws(AuthError) -> TokenAnswer {
        var polling = codes.polling
        var pause = polling.first
        while true {
            let left = time.left
            try await wait(min(pause, left))
            guard left > pause else { throw time.isOver }
            let answer = try await outlivingCaller { () async throws(AuthError) in
                await ask(codes.deviceCode, request, at: server)
            } late: { answer in
                if case .granted(let tokens) = answer { await target.discard(tokens, asking: request.allScopes) }
            }
            switch polling.step(after: answer, elapsed: target.dependencies.elapsed() - codes.received) {
            case .wait(let next): pause = next
            case .finish(let tokens): return tokens
            case .fail(let error): throw error
            }
        }
    }

    private func ask(_ deviceCode: String, _ request: Request, at server: ServerMetadata) async -> DevicePolling.Answer
    {
        let form =
            [
                (name: "grant_type", value: Self.grantType), ("device_code", deviceCode),
                ("code_verifier", request.secrets.verifier),
            ] + request.resources
        let authentication = target.authentication(at: server)
        do throws(AuthError) {
            let answer = try await target.backchannel.post(
                form,
                to: server.tokenEndpoint,
                as: authentication,
                "the tokens"
            )
            if let error = target.refusal(of: request.added, in: answer, to: .devicePoll) { throw error }
            switch answer {
            case .refused(let refusal): return .refused(refusal)
            case .object(let object):
                guard let tokens = TokenAnswer(object) else { throw .malformed("the response to a sign-in") }
                return .granted(tokens)
            }
        } catch {
            return .failed(error)
        }
    }

    private func wait(_ duration: Duration) async throws(AuthError) {
        do {
            try await target.dependencies.pause(duration)
        } catch {
            throw .cancelledSignIn
        }
    }
}

extension AuthError {
    /// The sign-in was cancelled by the app.
    static var cancelledSignIn: AuthError { AuthError(.webContextCancelled, "The sign-in was cancelled.") }
}

extension AuthError {
    /// The server issues no codes for a sign-in on another device.
    static var withoutDeviceCodes: AuthError {
        AuthError(
            .operationNotAllowed,
            "The identity provider does not offer sign-in with a device code. Sign in with the browser."
        )
    }
}
