import Foundation
import SharedAuth
import TestSupport
import Testing

@testable import PassAuth

@Suite(.timeLimit(.minutes(2)))
struct FlowTests {
    let world = PassStoreFixture()

    @Test("Preauthorization of no resources returns without a request")
    func noResources() async throws {
        let app = try EnablerApp(world)
        try await app.start()
        await app.signIn()
        #expect(try await app.enabler.checkPreauthorizedResources([]).isEmpty)
        #expect(app.backEnd.takeAsked().isEmpty)
    }

    @Test("A sign-in with another TV provider that fails or is cancelled keeps the session", arguments: [true, false])
    func failedSwitch(_ isCancelled: Bool) async throws {
        let app = try EnablerApp(world)
        try await app.start()
        await app.signIn()
        if !isCancelled { app.backEnd.change { $0.failures = ["start": [PassBackendError(.temporaryPassExpired)]] } }
        async let status = app.enabler.signIn(with: "M2", isForced: false)
        if isCancelled {
            _ = await app.hear(until: "navigate")
            app.enabler.setSelectedProvider(nil)
        }
        #expect(await !status.isAuthenticated)
        #expect(await app.enabler.checkAuthentication() == .authenticated)
        #expect(await app.enabler.getSelectedProvider()?.id == "M1")
        #expect(await app.enabler.signIn(with: "M9", isForced: false) == .failed("Provider not Available Error"))
        #expect(await app.enabler.checkAuthentication() == .authenticated)
    }

    @Test("Delegate and async calls share one engine; two AccessEnablers are independent")
    func oneEngine() async throws {
        let (app, other) = (try EnablerApp(world), try EnablerApp(world))
        try await app.enabler.setRequestor("R1")
        #expect(await app.hear(until: "setRequestorComplete") == ["setRequestorComplete 1"])
        #expect(await app.enabler.checkAuthentication() == .failed("User Not Authenticated Error"))
        #expect(
            await app.hear(until: "status") == ["report N000 information", "status 0 User Not Authenticated Error"]
        )
        // The other one has no programmer yet, so its call waits.
        other.call { $0.checkAuthentication() }
        try await other.enabler.setRequestor("R2")
        #expect(
            await other.hear(until: "status") == [
                "setRequestorComplete 1", "report N000 information", "status 0 User Not Authenticated Error",
            ]
        )
    }

    @Test("Every call of SDK 3 ends in its callback")
    func callbacks() async throws {
        let app = try EnablerApp(world)
        app.call { enabler in
            enabler.setRequestor("R1")
            enabler.checkAuthentication()
        }
        #expect(await app.hear(until: "status").contains("setRequestorComplete 1"))
        await app.signIn()
        app.call { enabler in
            enabler.getSelectedProvider()
            enabler.checkPreauthorizedResources(["a", "c"])
            enabler.getMetadata([EntitlementConstant.METADATA_OPCODE_KEY: "0"])
        }
        let heard = await app.hear(until: "preauthorized")
        #expect(heard.contains("selected M1") && heard.last == "preauthorized a")
        app.call { $0.checkAuthorization("a") }
        #expect(await app.hear(until: "token").last == "token media 1 for a")
        app.call { $0.logout() }
        #expect(await app.hear(until: "navigate").last == "navigate https://sp/logout")
    }

    @Test("Calls made before the configuration wait and begin in their order")
    func queue() async throws {
        let app = try EnablerApp(world)
        app.call { enabler in
            enabler.checkAuthentication()
            enabler.setRequestor("R1")
            enabler.getSelectedProvider()
            enabler.getAuthorization("a")
        }
        #expect(
            await app.hear(until: "picker") == [
                "setRequestorComplete 1", "report N000 information", "status 0 User Not Authenticated Error",
                "selected nil", "picker Cable M2",
            ]
        )
    }

    @Test("With several servers, each TV provider's calls go to the server that knows it")
    func servers() async throws {
        let app = try EnablerApp(world)
        app.backEnd.change { $0.servers = ["A": [MVPD("M1")], "B": [MVPD("M3")]] }
        try await app.enabler.setRequestor("R1", serviceProviders: ["A", "B"])
        #expect(Set(app.backEnd.takeAsked()) == ["register statement", "configuration A", "configuration B"])
        await app.signIn("M3")
        #expect(app.backEnd.lastRequest?.serviceProvider == "B")
        try app.enabler.tokens.logOut()
        _ = await app.hear(until: "status 0")
        await app.signIn("M1")
        #expect(app.backEnd.lastRequest?.serviceProvider == "A")
    }

    @Test(
        "An app without registration or access token receives R400 or R401",
        arguments: ["notRegistered", "noAccessToken"]
    )
    func registration(_ code: String) async throws {
        let app = try EnablerApp(world)
        app.backEnd.change { $0.failures["register"] = [PassBackendError(.init(rawValue: code))] }
        await #expect(throws: EntitlementError.self) { try await app.enabler.setRequestor("R1") }
        #expect(
            await app.hear(until: "setRequestorComplete")
                == ["report \(code == "notRegistered" ? "R400" : "R401") error", "setRequestorComplete 0"]
        )
        #expect(app.backEnd.takeAsked() == ["register statement"])
    }

    @Test(
        "Both forms of the redirect end a sign-in, and a second one changes nothing",
        arguments: [
            "adobepass://ios.app?state=state", "adobepass://ios.app/?state=state", "adbe.x://adobe.com?a=b&state=state",
            "http://adobepass.ios.app/?state=state",
        ]
    )
    func redirect(_ url: String) async throws {
        let app = try EnablerApp(world)
        try await app.start()
        app.call { $0.getAuthentication() }
        _ = await app.hear(until: "picker")
        app.enabler.setSelectedProvider("M1")
        #expect(await app.hear(until: "navigate") == ["navigate https://sp/login"])
        for foreign in ["adobepass://ios.app", "https://elsewhere?state=state", "adbe.y://adobe.com?state=state"] {
            app.enabler.handleExternalURL(foreign)
        }
        app.enabler.handleExternalURL(url)
        app.enabler.handleExternalURL(url)
        #expect(await app.hear(until: "status") == ["status 1 "])
        #expect(app.backEnd.takeAsked() == ["start M1", "profile"])
        #expect(await app.enabler.checkAuthentication() == .authenticated)
    }

    @Test(
        "useSVC is set if the TV provider demands a secure browser and the app shows one",
        arguments: [(true, true), (true, false), (false, true)]
    )
    func secureBrowser(demanded: Bool, handled: Bool) async throws {
        let app = try EnablerApp(world)
        var mvpd = MVPD("M1")
        mvpd.demandsSecureBrowser = demanded
        app.backEnd.change { [mvpd] in $0.mvpds = [mvpd] }
        try app.enabler.setOptions(["handleSVC": "\(handled)"])
        try await app.start()
        app.enabler.setSelectedProvider("M1")
        app.call { $0.getAuthentication() }
        let expected = "navigate https://sp/login" + (demanded && handled ? " useSVC true" : "")
        #expect(await app.hear(until: "navigate").last == expected)
    }

    @Test("On a second screen the code arrives as a status, and polling starts immediately")
    func secondScreen() async throws {
        let app = try EnablerApp(world, settings: .init(screen: .second))
        app.backEnd.change { $0.looks = 2 }
        try await app.start()
        app.enabler.setSelectedProvider("M1")
        app.call { $0.getAuthentication() }
        #expect(await app.hear(until: "report REGCODE") == ["report REGCODE success ABC1234"])
        for _ in 0..<2 { app.timers.pass(.seconds(5)) }
        #expect(await app.hear(until: "status") == ["status 1 "])
        #expect(app.backEnd.takeAsked() == ["start M1", "profile", "profile", "profile"])
        // No polling ticket is left.
        #expect(app.enabler.runner.ticketsUnderWay == 0)
        app.call { $0.logout() }
        #expect(await app.hear(until: "status") == ["status 0 User Not Authenticated Error"])
        // The server's part of the log-out is done too, and no page is shown.
        #expect(app.backEnd.takeAsked() == ["logOutURL"])
    }

    @Test("A cancel keeps the token, which is valid again when its TV provider is chosen")
    func cancel() async throws {
        let app = try EnablerApp(world)
        try await app.start()
        await app.signIn()
        app.enabler.setSelectedProvider(nil)
        #expect(await app.hear(until: "status") == ["status 0 Provider not Selected Error"])
        #expect(await app.enabler.checkAuthentication().isAuthenticated == false)
        _ = await app.hear(until: "status")
        #expect(try app.enabler.tokens.contents().tokens.count == 1)
        app.enabler.setSelectedProvider("M1")
        #expect(await app.hear(until: "status") == ["status 1 "])
        #expect(app.backEnd.takeAsked() == [])
    }

    @Test("Cancelling a task cancels its sign-in")
    func cancelledTask() async throws {
        let app = try EnablerApp(world)
        try await app.start()
        let task = Task { await app.enabler.getAuthentication() }
        _ = await app.hear(until: "picker")
        task.cancel()
        #expect(await task.value == .failed("Provider not Selected Error"))
    }

    @Test("A task cancelled before it calls has its sign-in cancelled too")
    func cancelledBefore() async throws {
        let app = try EnablerApp(world)
        try await app.start()
        let (never, continuation) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            // Waits until the task is cancelled.
            for await _ in never {}
            return await app.enabler.getAuthentication()
        }
        task.cancel()
        #expect(await task.value == .failed("Provider not Selected Error"))
        continuation.finish()
    }

    @Test("Cancelling a task during a request signs no user out")
    func cancelledQuestion() async throws {
        let app = try EnablerApp(world)
        try await app.start()
        await app.signIn()
        app.backEnd.change { $0.hanging = ["authorize"] }
        var calls = app.backEnd.calls.makeAsyncIterator()
        let task = Task { try await app.enabler.getAuthorization("a") }
        while let name = await calls.next(), !name.hasPrefix("authorize") {}
        task.cancel()
        #expect(await app.enabler.checkAuthentication() == .authenticated)
        app.timers.pass(.seconds(30))
        await #expect(throws: EntitlementError.self) { try await task.value }
    }

    @Test("The last TV provider needs no picker until a sign-in with it fails")
    func lastProvider() async throws {
        let app = try EnablerApp(world)
        try await app.start()
        await app.signIn()
        world.clock.advance(by: 4000)
        let again = try EnablerApp(world)
        try await again.start()
        again.backEnd.change { $0.failures["start"] = [PassBackendError(.server)] }
        again.call { $0.getAuthentication() }
        #expect(await again.hear(until: "status") == ["report N500 error", "status 0 Generic Authentication Error"])
        #expect(again.backEnd.takeAsked() == ["start M1"])
        again.call { $0.getAuthentication() }
        #expect(await again.hear(until: "picker") == ["picker Cable M2"])
    }

    @Test("A forced sign-in passes its data on, and a failed one loses no token")
    func forced() async throws {
        let app = try EnablerApp(world)
        try await app.start()
        await app.signIn()
        app.backEnd.change { $0.failures["start"] = [PassBackendError(.network)] }
        app.call { $0.getAuthentication(true, withData: ["email": "digest"]) }
        #expect(await app.hear(until: "status").last == "status 0 Generic Authentication Error")
        #expect(app.backEnd.lastRequest?.genericData == ["email": "digest"])
        #expect(await app.enabler.checkAuthentication() == .authenticated)
        let before = try app.enabler.tokens.contents().tokens.map(\.token)
        world.clock.advance(by: 60)
        app.call { $0.getAuthentication(true) }
        _ = await app.hear(until: "picker")
        app.enabler.setSelectedProvider("M1")
        _ = await app.hear(until: "navigate")
        app.enabler.handleExternalURL("adobepass://ios.app?state=state")
        _ = await app.hear(until: "status")
        let after = try app.enabler.tokens.contents().tokens.map(\.token)
        #expect(before.count == 1 && after.count == 1 && before != after)
    }
}
