internal import FoundationEssentials
internal import SharedAuth
internal import SharedAuthHTTP

/// The device authorization grant (RFC 8628): the user enters a code in any browser, on any machine.
struct DeviceFlow: Sendable {
    private static let grantType = "urn:ietf:params:oauth:grant-type:device_code"

    let target: any SignInTarget
    let timeout: Duration
    let show: @Sendable (DeviceCode) -> Void
    let userIsDone: @Sendable () -> Void

    /// Signs the user in.
    func run() async throws(AuthError) -> OAuthCredential {
        try await endingWhenCancelled { () async throws(AuthError) in
            let began = target.dependencies.elapsed()
            let server = try await target.server()
            guard let endpoint = server.deviceEndpoint else {
                throw AuthError(
                    .operationNotAllowed,
                    "The identity provider does not offer sign-in with a device code. Sign in with the browser."
                )
            }
            let scopes = target.scopes(at: server)
            let codes = try await codes(for: scopes, from: endpoint, at: server)
            show(codes.shown)
            let tokens = try await tokens(for: codes, since: began, at: server)
            userIsDone()
            return try await target.usableCredential(of: tokens, asking: scopes, rawNonce: nil, maxAge: nil, at: server)
        }
    }

    /// The codes that the server issues first.
    private struct Codes: Sendable {
        let deviceCode: String
        let shown: DeviceCode
        let polling: DevicePolling
        let received: Duration
    }

    private func codes(
        for scopes: [String],
        from endpoint: WebAddress,
        at server: ServerMetadata
    ) async throws(AuthError) -> Codes {
        let form = scopes.isEmpty ? [] : [(name: "scope", value: scopes.joined(separator: " "))]
        let authentication = target.authentication(at: server)
        let answer = try await target.backchannel.post(form, to: endpoint, as: authentication, "a device code")
        let object: JSONObject
        switch answer {
        case .refused(let refusal): throw refusal.error(of: .deviceCode)
        case .object(let answered): object = answered
        }
        guard
            let deviceCode = object.string("device_code"),
            let userCode = object.string("user_code"),
            // Google names the member `verification_url`.
            let address = (object.string("verification_uri") ?? object.string("verification_url")).flatMap(
                WebAddress.init
            ), address.isAllowed(byServerOnThisMachine: server.isLocal)
        else { throw .malformed("the device code") }
        let complete = object.string("verification_uri_complete").flatMap(WebAddress.init)
        let isCompleteAllowed = complete?.isAllowed(byServerOnThisMachine: server.isLocal) == true
        let lifetime = object.seconds("expires_in") ?? 600
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

    /// Polls until the user is done.
    private func tokens(
        for codes: Codes,
        since began: Duration,
        at server: ServerMetadata
    ) async throws(AuthError) -> TokenAnswer {
        var polling = codes.polling
        var pause = polling.first
        while true {
            let left = timeout - (target.dependencies.elapsed() - began)
            try await wait(min(pause, max(left, .zero)))
            guard left > pause else {
                throw AuthError(.timedOut, "The code was not entered within \(timeout). Start the sign-in again.")
            }
            let answer = await ask(codes.deviceCode, at: server)
            switch polling.step(after: answer, elapsed: target.dependencies.elapsed() - codes.received) {
            case .wait(let next): pause = next
            case .finish(let tokens): return tokens
            case .fail(let error): throw error
            }
        }
    }

    private func ask(_ deviceCode: String, at server: ServerMetadata) async -> DevicePolling.Answer {
        let form = [(name: "grant_type", value: Self.grantType), ("device_code", deviceCode)]
        let authentication = target.authentication(at: server)
        do throws(AuthError) {
            switch try await target.backchannel.post(form, to: server.tokenEndpoint, as: authentication, "the tokens") {
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
