import Foundation
import SecretService
import SharedAuth
import Synchronization
import TestSupport
import Testing

@testable import OpenIDConnect

/// Tests that no failed sign-in leaves a session at the issuer, which counts them. The keyring is real.
struct UnheldSessionTests {
    let world = IssuerFixture()

    enum Way: CaseIterable { case browser, device }

    /// The moments at which the keyring is lost.
    enum Moment: CaseIterable {
        case beforeTheSignIn, whileTheUserSignsIn, duringTheExchange, afterTheExchange
    }

    enum Trouble: CaseIterable {
        case locked, gone

        var code: AuthErrorCode { self == .locked ? .keyringLocked : .keyringUnavailable }

        func begin(in keyring: PrivateKeyring) {
            switch self {
            case .locked: try? keyring.lock()
            case .gone: try? keyring.killDaemon()
            }
        }
    }

    private var liveSessions: Int { world.issuer.script.withLock { $0.refreshTokens.count } }

    private func signIn(_ way: Way, _ openID: OpenIDConnect, during act: @escaping @Sendable () -> Void = {})
        -> any FederatedAuthProvider
    {
        switch way {
        case .device: DeviceSignIn(openID) { _ in act() }
        case .browser:
            world.browser(openID) { settings in
                settings.visit = { [issuer = world.issuer] _ throws(AuthError) in
                    act()
                    return ScriptedBrowser(issuer)
                }
            }
        }
    }

    @Test(
        "Whenever the keyring is lost, the sign-in fails and no session is left",
        .timeLimit(.minutes(2)),
        arguments: Way.allCases.flatMap { way in Moment.allCases.map { (way, $0) } },
        Trouble.allCases
    )
    func lost(_ place: (way: Way, moment: Moment), trouble: Trouble) async throws {
        let keyring = try PrivateKeyring()
        let openID = world.openID()
        let app = try TestApp(AppFixture(keyring)) { options in
            options.identityProvider = .openIDConnect(openID)
            world.keepTime(of: &options)
        }
        _ = await app.auth.ready()
        let begin: @Sendable (Moment) -> Void = { if $0 == place.moment { trouble.begin(in: keyring) } }
        begin(.beforeTheSignIn)
        world.issuer.change { script in
            script.changeClaims = { _ in begin(.duringTheExchange) }
            script.onUserInfo = { begin(.afterTheExchange) }
        }
        let person = signIn(place.way, openID) { begin(.whileTheUserSignsIn) }
        await expectFailure(trouble.code) { try await app.auth.signIn(with: person) }
        #expect(liveSessions == 0)
        if place.moment == .beforeTheSignIn { #expect(world.issuer.asked.isEmpty) }
        #expect(app.auth.currentUser == nil)
    }

    @Test(
        "A keyring without a collection, and none at all, are told before the issuer is asked",
        arguments: Way.allCases
    )
    func absent(way: Way) async throws {
        for state in [PrivateKeyring.State.noDaemon, .noDefaultCollection] {
            let openID = world.openID()
            let app = try TestApp(AppFixture(PrivateKeyring(state: state))) {
                $0.identityProvider = .openIDConnect(openID)
            }
            await expectFailure(.keyringUnavailable) { try await app.auth.signIn(with: signIn(way, openID)) }
        }
        #expect(world.issuer.asked.isEmpty && liveSessions == 0)
    }

    @Test("Tokens that the issuer gave and that are refused end with the sign-in", arguments: Way.allCases)
    func refused(way: Way) async throws {
        let openID = world.openID()
        let auth = try world.app(openID)
        world.issuer.change { $0.signature = .ofOtherKey }
        await expectFailure(.invalidCredential) { try await auth.signIn(with: signIn(way, openID)) }
        #expect(liveSessions == 0)
        // The issuer's answer is good, but its user is another one.
        world.issuer.change { ($0.signature, $0.userInfoSubject) = (.valid, "eve") }
        await expectFailure(.invalidCredential) { try await auth.signIn(with: signIn(way, openID)) }
        #expect(liveSessions == 0)
        world.issuer.change { $0.userInfoSubject = nil }
        try await auth.signIn(with: signIn(way, openID))
        #expect(liveSessions == 1)
    }
}
