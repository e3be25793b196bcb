import Foundation
import SharedAuth
import SharedAuthHTTP
import Synchronization
import Testing

@testable import OpenIDConnect

/// A session at one identity provider, from its sign-in to its end. What is expected is the same at all of them.
struct SessionLife {
    let profile: DeployedIssuer
    let world = IssuerFixture()
    let provider: ProfiledIssuer
    let front: IssuerFront
    let openID: OpenIDConnect
    let auth: Auth

    init(_ profile: DeployedIssuer) throws {
        self.profile = profile
        provider = ProfiledIssuer(profile, world.issuer)
        front = provider.front()
        openID = Self.openID(profile, world, front)
        auth = try world.app(openID)
    }

    private static func openID(
        _ profile: DeployedIssuer,
        _ world: IssuerFixture,
        _ front: IssuerFront
    ) -> OpenIDConnect {
        let client = OpenIDClient(
            issuerURL: profile.issuerURL,
            clientID: "desktop",
            clientSecret: profile.clientSecret,
            scopes: profile.scopes
        )
        return OpenIDConnect(client, http: front.http, world.dependencies)
    }

    // MARK: What is seen

    /// The number of refreshes that were requested.
    private var refreshes: Int { front.count(of: "/token refresh_token") }

    private struct NobodyIsSignedIn: Error {}

    private var user: User {
        get throws {
            guard let user = auth.currentUser else { throw NobodyIsSignedIn() }
            return user
        }
    }

    private func expect(_ isTrue: Bool, _ step: String, _ what: String) {
        if !isTrue { Issue.record("\(profile.name), \(step): \(what)") }
    }

    private func expect<Value: Equatable>(_ saw: Value, _ expected: Value, _ step: String, _ what: String) {
        expect(saw == expected, step, "\(what): saw \(saw), expected \(expected)")
    }

    /// Expects that the session's refresh token is the valid one, here and in the store.
    private func expectLive(_ step: String) throws {
        let token = try user.refreshToken ?? ""
        expect(world.issuer.script.withLock { $0.refreshTokens.contains(token) }, step, "the refresh token is lost")
        expect(try world.app(openID).currentUser?.refreshToken, token, step, "the stored refresh token")
    }

    /// Performs a step; goes on with the others if it fails.
    private func step(_ name: String, _ body: (String) async throws -> Void) async {
        pass(61)
        do {
            try await body(name)
        } catch {
            Issue.record("\(profile.name), \(name): \(error)")
        }
    }

    /// Performs a call that fails, and returns its error.
    private func failure<Value>(_ step: String, _ call: () async throws -> Value) async -> AuthError? {
        do {
            _ = try await call()
            Issue.record("\(profile.name), \(step): it succeeded")
        } catch let error as AuthError {
            return error
        } catch {
            Issue.record("\(profile.name), \(step): \(error)")
        }
        return nil
    }

    private func expectNot(_ word: String, in error: AuthError?, _ step: String) {
        guard let error else { return }
        let text = "\(error.message) \(error.remedy ?? "")"
        expect(!text.lowercased().contains(word), step, "the text says \"\(word)\": \(text)")
    }

    private func pass(_ seconds: TimeInterval) {
        world.issuer.advance(by: seconds)
        world.waited.advance(by: .seconds(seconds))
    }
}

extension SessionLife {
    /// Sends all requests of the session's life.
    func run() async {
        await step("sign-in by code") { step in
            let user = try await auth.signIn(by: world.browser(openID))
            expect(user.uid, "ada", step, "the user")
            try expectLive(step)
        }
        await step("UserInfo", reload)
        await step("refresh", refresh)
        await step("narrower refresh", narrowerRefresh)
        await step("refused scope", refusedScope)
        await step("second refresh", secondRefresh)
        await step("keys rotated", rotatedKeys)
        await step("outage", outage)
        await step("expired session", expiredSession)
        await step("sign-in by device", deviceSignIn)
        await step("sign-out", signOut)
        await step("sign-out of an ended session", signOutAfterTheEnd)
    }

    private func reload(_ step: String) async throws {
        let user = try user
        try await user.reload()
        let isFromUserInfo = if case .claims = profile.userInfo { true } else { false }
        expect(user.displayName, isFromUserInfo ? "Ada Lovelace" : "Ada", step, "the name")
        provider.refuseUserInfo(true)
        defer { provider.refuseUserInfo(false) }
        if case .notOffered = profile.userInfo { return }
        expectNot("later", in: await failure(step) { try await user.reload() }, step)
        try expectLive(step)
    }

    /// Lets the ID token expire, and asks for one.
    private func refresh(_ step: String) async throws {
        let (user, former) = (try user, try await user.getIDToken())
        pass(profile.idTokenLifetime)
        let before = refreshes
        let cost = try await renewIDToken(of: user)
        expect(try await user.getIDToken() != former, step, "the ID token is the expired one")
        expect(refreshes - before, cost, step, "requests")
        _ = try await user.getIDToken()
        expect(refreshes - before, cost, step, "requests after another call")
        try expectLive(step)
    }

    /// Asks for an ID token when it has expired, and once more after a minute if the response may lack one. Returns the
    /// number of requests.
    private func renewIDToken(of user: User) async throws -> Int {
        do {
            _ = try await user.getIDToken()
            return 1
        } catch {
            guard case .everySecond = profile.idTokenAtRefresh else { throw error }
            pass(61)
            _ = try await user.getIDToken()
            return 2
        }
    }

    private func narrowerRefresh(_ step: String) async throws {
        let (user, before) = (try user, refreshes)
        let token = try await user.accessToken(forScopes: profile.narrowerScopes, forcingRefresh: true)
        expect(refreshes - before, 1, step, "requests")
        let again = try await user.accessToken(forScopes: profile.narrowerScopes)
        expect(again, token, step, "the token of another call")
        expect(refreshes - before, 1, step, "requests after another call")
        try expectLive(step)
    }

    /// Requests a scope that was not granted. Some issuers ignore it, and some of these name what the token is for.
    private func refusedScope(_ step: String) async throws {
        let (user, before) = (try user, refreshes)
        let call = { try await user.accessToken(forScopes: ["mail.unconsented"]) }
        let isIgnored = if case .ofSignIn = profile.namedScopes { false } else { profile.unknownScope == nil }
        if isIgnored {
            _ = try await call()
            expect(refreshes - before, 1, step, "requests")
            _ = try await call()
            expect(refreshes - before, 1, step, "requests after another call")
        } else {
            let error = await failure(step, call)
            // Some issuers say that the user has to consent.
            let code = profile.asksForConsent ? AuthErrorCode.requiresRecentLogin : .operationNotAllowed
            expect(error?.code, code, step, "the error")
            expectNot("later", in: error, step)
            if !profile.asksForConsent { expectNot("sign in again.", in: error, step) }
            let cost = refreshes - before
            // One more without scopes may confirm that the session lives.
            expect(cost <= 2, step, "requests: saw \(cost), expected at most 2")
            _ = await failure(step, call)
            expect(refreshes - before, cost, step, "requests after another call within a minute")
        }
        try expectLive(step)
    }

    /// Refreshes with the token of the refreshes before, in this process and in another one.
    private func secondRefresh(_ step: String) async throws {
        _ = try await user.accessToken(forcingRefresh: true)
        try expectLive(step)
        pass(61)
        let other = try world.app(Self.openID(profile, world, front))
        _ = try await other.currentUser?.accessToken(forcingRefresh: true)
        expect(other.currentUser?.uid, "ada", step, "the user of another process")
        pass(61)
        _ = try await user.accessToken(forcingRefresh: true)
        try expectLive(step)
    }

    private func rotatedKeys(_ step: String) async throws {
        provider.rotateKeys()
        let (user, before) = (try user, front.count(of: "/keys"))
        pass(profile.idTokenLifetime)
        _ = try await renewIDToken(of: user)
        let fetches = front.count(of: "/keys") - before
        expect(fetches <= 2, step, "requests of keys: saw \(fetches), expected at most 2")
        try expectLive(step)
    }

    /// Asks for a token while none can be refreshed.
    private func outage(_ step: String) async throws {
        let user = try user
        provider.beOutOfOrder(true)
        pass(max(profile.idTokenLifetime, profile.expiresIn.number ?? 0) + 60)
        let error = await failure(step) { try await user.accessToken() }
        expect(error?.code != .requiresRecentLogin, step, "the error: saw \(String(describing: error))")
        expect(auth.currentUser?.uid, "ada", step, "the user")
        provider.beOutOfOrder(false)
        pass(61)
        _ = try await user.accessToken()
        try expectLive(step)
    }

    /// Asks for a token when the session has ended at the issuer, and every token has expired.
    private func expiredSession(_ step: String) async throws {
        let user = try user
        provider.endSession()
        pass(max(profile.idTokenLifetime, profile.expiresIn.number ?? 0) + 60)
        let before = refreshes
        let error = await failure(step) { try await user.getIDToken() }
        expect(refreshes - before <= 1, step, "requests: saw \(refreshes - before), expected 1")
        let text = "\(error?.message ?? "") \(error?.remedy ?? "")"
        expect(text.contains("ign in again"), step, "the text does not say \"Sign in again\": \(text)")
        expectNot("later", in: error, step)
        let isSaid = profile.deadSession.word == "invalid_grant"
        expect(error?.code, isSaid ? .userTokenExpired : .requiresRecentLogin, step, "the error")
        expect(auth.currentUser == nil, isSaid, step, "the user is signed out")
        if !isSaid {
            _ = await failure(step) { try await user.getIDToken() }
            expect(refreshes - before <= 1, step, "requests after another call: saw \(refreshes - before), expected 1")
        }
    }

    private func deviceSignIn(_ step: String) async throws {
        guard let device = profile.device else {
            try await auth.signIn(by: world.browser(openID))
            return
        }
        let signIn = DeviceSignIn(openID) { _ in }
        provider.refusePolls([device.pending] + (device.slowDown.map { [$0] } ?? []) + [device.pending])
        let user = try await auth.signIn(by: signIn)
        expect(user.uid, "ada", step, "the user")
        try expectLive(step)
        if let declined = device.declined {
            provider.refusePolls([device.pending, declined])
            let error = await failure("\(step), declined") { try await signIn.credential() }
            expect(error?.code, .webContextCancelled, "\(step), declined", "the error")
            expectNot("later", in: error, "\(step), declined")
        }
        provider.refusePolls([device.pending, device.expired])
        let error = await failure("\(step), expired") { try await signIn.credential() }
        let isSaid = ["expired_token", "code_expired"].contains(device.expired.word)
        expect(error?.code, isSaid ? .timedOut : .invalidCredential, "\(step), expired", "the error")
        expectNot("later", in: error, "\(step), expired")
        try expectLive(step)
    }

    private func signOut(_ step: String) async throws {
        try await auth.signOut(timeout: .seconds(5))
        expect(auth.currentUser == nil, step, "the user is still there")
        if openID.keptSession == nil {
            expect(world.issuer.script.withLock { $0.refreshTokens.isEmpty }, step, "the session is not revoked")
        }
    }

    private func signOutAfterTheEnd(_ step: String) async throws {
        try await auth.signIn(by: world.browser(openID))
        provider.endSession()
        try await auth.signOut(timeout: .seconds(5))
        expect(auth.currentUser == nil, step, "the user is still there")
    }
}
