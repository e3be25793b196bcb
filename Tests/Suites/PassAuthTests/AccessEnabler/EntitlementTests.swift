import CryptoExtras
import Foundation
import SharedAuth
import TestSupport
import Testing

@testable import PassAuth

@Suite(.timeLimit(.minutes(2)))
struct EntitlementTests {
    let world = PassStoreFixture()

    private func signedIn(_ change: (inout ScriptedBackEnd.Script) -> Void = { _ in }) async throws -> EnablerApp {
        let app = try EnablerApp(world)
        app.backEnd.change(change)
        try await app.start()
        await app.signIn()
        return app
    }

    @Test("Each report has the documented ID and level")
    func reports() {
        let levels: [(StatusReport.ID, String, StatusReport.Level)] = [
            (.registrationCode, "REGCODE", .success), (.notAuthenticated, "N000", .information),
            (.pickerCancelled, "N005", .information), (.deviceMismatch, "SEC412", .warning),
            (.wrongClock, "CFG100", .warning), (.temporaryPassExpired, "N111", .warning), (.denied, "Z100", .error),
            (.platformUndetermined, "VSA404", .information), (.notRegistered, "R400", .error),
            (.preauthorizationFailed, "P100", .error), (.degradedAuthorization, "Z010", .warning),
        ]
        for (id, name, level) in levels { #expect(id.rawValue == name && id.level == level, "\(name)") }
        let report = StatusReport(.denied, message: "Not in your package", resource: "a")
        #expect(
            report.dictionary
                == ["errorId": "Z100", "level": "error", "message": "Not in your package", "resource": "a"]
        )
    }

    @Test("The error strings are Adobe's")
    func strings() {
        #expect(EntitlementConstant.USER_AUTHENTICATED.isEmpty)
        #expect(EntitlementConstant.USER_NOT_AUTHENTICATED_ERROR == "User Not Authenticated Error")
        #expect(EntitlementConstant.PROVIDER_NOT_SELECTED_ERROR == "Provider not Selected Error")
        #expect(EntitlementConstant.GENERIC_AUTHENTICATION_ERROR == "Generic Authentication Error")
        #expect(EntitlementConstant.USER_NOT_AUTHORIZED_ERROR == "User not Authorized Error")
        #expect(EntitlementConstant.ADOBEPASS_REDIRECT_URL == "adobepass://ios.app")
    }

    @Test("One authorization is stored per resource; each media token is new")
    func authorization() async throws {
        let app = try await signedIn()
        #expect(try await app.enabler.checkAuthorization("a") == "media 1")
        #expect(try await app.enabler.getAuthorization("a") == "media 2")
        #expect(try await app.enabler.checkAuthorization("b") == "media 3")
        #expect(
            app.backEnd.takeAsked() == ["authorize a", "mediaToken a", "mediaToken a", "authorize b", "mediaToken b"]
        )
        world.clock.advance(by: 700)
        #expect(try await app.enabler.checkAuthorization("a") == "media 4")
        #expect(app.backEnd.takeAsked() == ["authorize a", "mediaToken a"])
        #expect(try app.enabler.tokens.contents().tokens[0].caches["R1"]?.authorizationCount == 2)
    }

    @Test("A denial carries the TV provider's message; a device mismatch ends the session")
    func refusals() async throws {
        let app = try await signedIn {
            $0.denials = [
                "x": PassBackendError(.denied, "Not in your package"), "y": PassBackendError(.deviceMismatch),
            ]
        }
        app.call { $0.checkAuthorization("x") }
        #expect(
            await app.hear(until: "failed")
                == ["report Z100 error x", "failed x: User not Authorized Error: Not in your package"]
        )
        app.call { $0.checkAuthorization("y") }
        #expect(
            await app.hear(until: "failed") == [
                "report SEC412 warning y", "status 0 User Not Authenticated Error",
                "failed y: User Not Authenticated Error: ",
            ]
        )
        #expect(try app.enabler.tokens.contents().tokens.isEmpty)
        #expect(await app.enabler.checkAuthentication().isAuthenticated == false)
    }

    @Test("Preauthorization is cached for the same set of resources, and has a limit")
    func preauthorization() async throws {
        let app = try await signedIn()
        #expect(try await app.enabler.checkPreauthorizedResources(["c", "b", "a"]) == ["b", "a"])
        #expect(try await app.enabler.checkPreauthorizedResources(["a", "b", "c"]) == ["a", "b"])
        #expect(app.backEnd.takeAsked() == ["preauthorize c b a"])
        #expect(try await app.enabler.checkPreauthorizedResources(["a", "b", "c"], cache: false) == ["a", "b"])
        #expect(app.backEnd.takeAsked() == ["preauthorize a b c"])
        await #expect(throws: EntitlementError.self) {
            try await app.enabler.checkPreauthorizedResources(["1", "2", "3", "4", "5", "6"])
        }
        #expect(app.backEnd.takeAsked() == [])
    }

    @Test("Preauthorize calls back once, and the delegate is not called")
    func preauthorize() async throws {
        let app = try await signedIn { $0.failures["preauthorize"] = [PassBackendError(.network, "No connection.")] }
        let request = PreauthorizeRequest.Builder().setResources(["a", "c"]).disableFeatures([.localCache]).build()
        let answers = Recorder<String>()
        let callback = AccessEnablerCallback(
            onResponse: { answers.record("response \($0.decisions.map { "\($0.id) \($0.authorized)" })") },
            onFailure: { answers.record("failure \($0.status?.code ?? "") \($0.status?.action ?? "")") }
        )
        app.call { $0.preauthorize(request, didCompleteWith: callback) }
        #expect(answers.take { _ in true } == ["failure network_error none"])
        app.call { $0.preauthorize(request, didCompleteWith: callback) }
        #expect(answers.take { _ in true } == [#"response ["a true", "c false"]"#])
    }

    @Test("Metadata of the tokens and of the user is requested once")
    func metadata() async throws {
        let app = try await signedIn { $0.allowsDeviceID = true }
        let rating = await app.enabler.getMetadata(.user("maxRating"))
        #expect(rating.value == .object(["MPAA": .string("PG")]) && !rating.isEncrypted)
        let zip = await app.enabler.getMetadata(.user("zip"))
        #expect(zip.value == .string("x") && zip.isEncrypted)
        #expect(app.backEnd.takeAsked() == ["metadata"])
        #expect(await app.enabler.getMetadata(.deviceID).value == .string(app.enabler.tokens.device.fingerprint))
        let expiry = try #require(try app.enabler.tokens.contents().tokens.first?.token.expires)
        #expect(await app.enabler.getMetadata(.authentication).value == .string(TokenDate.text(expiry)))
        #expect(await app.enabler.getMetadata(.authorization(resource: "a")).value == nil)
        #expect(MetadataKey(MetadataKey.user("zip").arguments) == .user("zip") && MetadataKey([:]) == nil)
    }

    @Test("Encrypted metadata is decrypted with the programmer's key")
    func decryption() throws {
        let sender = try _RSA.Encryption.PublicKey(pemRepresentation: Keys.first.publicKey.pem)
        let encrypted = try sender.encrypt(Data("94103".utf8), padding: .PKCS1_OAEP).base64EncodedString()
        let key = try MetadataDecryptionKey(pem: Keys.first.pem)
        #expect(try key.decrypt(encrypted) == "94103")
        let other = try MetadataDecryptionKey(pem: Keys.second.pem)
        expectFailure(\PassTokenError.code, .invalidValue, without: ["94103"]) { try other.decrypt(encrypted) }
        #expect("\(key)" == "MetadataDecryptionKey")
    }

    @Test("The chosen TV provider has a name and a logo; it is nil after cancel and log-out")
    func selectedProvider() async throws {
        let app = try await signedIn { $0.logOutURL = nil }
        let mvpd = try #require(await app.enabler.getSelectedProvider())
        #expect(mvpd.displayName == "Cable" && mvpd.logoURL == "https://logo/1")
        await app.enabler.logout()
        #expect(await app.enabler.getSelectedProvider() == nil)
    }

    @Test("Tracking events have their documented numbers and only a digest of the user")
    func tracking() async throws {
        let app = try await signedIn()
        app.call { $0.checkAuthorization("a") }
        let heard = await app.hear(until: "tracking 1")
        let digest = TrackingEvent.Check(succeeded: true, userID: "person").userDigest
        #expect(heard.last?.hasPrefix("tracking 1 true,M1,\(digest),false,,,") == true)
        app.call { $0.checkAuthentication() }
        #expect(await app.hear(until: "tracking 0").last?.hasPrefix("tracking 0 true,M1,\(digest),true,") == true)
        app.call { $0.getSelectedProvider() }
        #expect(await app.hear(until: "tracking 2").last?.hasPrefix("tracking 2 M1,") == true)
    }

    @Test("Options are sent with every later call, and an invalid one changes none")
    func options() async throws {
        let app = try await signedIn()
        try app.enabler.setOptions(["visitorID": "v", "applicationProfile": "p"])
        expectFailure(\PassTokenError.code, .invalidValue) {
            try app.enabler.setOptions(["visitorID": "w", "handleSVC": "maybe"])
        }
        _ = try await app.enabler.checkAuthorization("a")
        #expect(app.backEnd.lastRequest?.options.visitorID == "v")
        #expect(app.backEnd.lastRequest?.options.applicationProfile == "p")
    }

    @Test("A REST v2 profile is an unsigned token, refused if a key is configured")
    func profile() async throws {
        let app = try await signedIn { $0.isProfile = true }
        let token = try #require(try app.enabler.tokens.contents().tokens.first?.token)
        #expect(token.isFromProfile && token.userID == "person")
        #expect(try AuthenticationToken(fragment: token.serialized) == token)
        #expect(try !world.token("R1", "M1").isFromProfile)
        var options = app.enabler.tokens.options
        options.publicKey = Keys.first.publicKey
        let strict = PassTokenStore(
            appID: "com.example.strict",
            group: nil,
            in: world.keyring,
            device: DeviceIdentity(.custom, "device"),
            options: options
        )
        let other = try EnablerApp(world, tokens: strict)
        other.backEnd.change { $0.isProfile = true }
        try await other.start()
        other.enabler.setSelectedProvider("M1")
        other.call { $0.getAuthentication() }
        _ = await other.hear(until: "navigate")
        other.enabler.handleExternalURL("adobepass://ios.app?state=state")
        #expect(
            await other.hear(until: "status") == ["report 500 error", "status 0 Generic Authentication Error"]
        )
        #expect(try strict.contents().tokens.isEmpty)
    }

    @Test("A platform picker's filter is ignored, and the app is notified")
    func platform() async throws {
        let app = try EnablerApp(world)
        var mvpd = MVPD("M1")
        (mvpd.enablePlatformServices, mvpd.boardingStatus) = (true, .supported)
        app.backEnd.change { [mvpd] in $0.mvpds = [mvpd, MVPD("M2")] }
        try await app.start()
        app.call { $0.getAuthentication(andFilter: ["TV_PROVIDERS": ["M1"]]) }
        #expect(await app.hear(until: "picker") == ["report VSA404 information", "picker M1 M2"])
    }

    @Test("Printed results show no token, no code and nothing about the user")
    func redaction() throws {
        let profile = AuthenticationProfile(
            try world.token("R1", "M1", user: "secret"),
            userMetadata: Data("secret".utf8)
        )
        let attempt = AuthenticationAttempt(id: "secret", state: "secret")
        let values: [Any] = [
            profile, attempt, AuthenticationStart.page(url: "https://secret", attempt),
            AuthenticationStart.code("secret", expires: world.clock.now, attempt),
            AuthenticationStart.signedIn(profile),
            AuthorizationAnswer(try world.authorization("a"), mediaToken: "secret"),
            MetadataAnswer(.user("zip"), .string("secret")), EntitlementEvent.token("secret", resource: "a"),
            EntitlementEvent.navigation(url: "https://secret", usesSecureBrowser: false),
            PassRequest(requestor: "R1", fingerprint: "secret", options: ClientOptions(), genericData: ["a": "secret"]),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!"\(value) \(dumped)".contains("secret"), "\(type(of: value))")
        }
    }
}
