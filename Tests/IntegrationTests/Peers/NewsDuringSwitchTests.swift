import SecretService
import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

/// What a peer does while an app is on its way from one group to another.
struct NewsDuringSwitchTests {
    private static let group = "group.example.left"
    private static let target = "group.example.entered"

    @Test("A sign-in between the read of a switch and its end is heard, and so is the next one")
    func heard() async throws {
        let world = try TestApp.World()
        try world.put(world.account("x"), in: Self.group, appID: "")
        try world.put(world.account("y"), in: Self.target, appID: "")
        let isSwitching = Mutex(false)
        let app = try TestApp(
            world,
            observesOtherProcesses: true,
            interceptor: CallInterceptor { call, proceed in
                let isRead = isSwitching.withLock { isSwitching in
                    guard isSwitching, call.member == "GetSecret" else { return false }
                    isSwitching = false
                    return true
                }
                guard isRead else { return nil }
                _ = proceed()
                do { try world.put(world.account("z"), in: Self.target, appID: "") } catch { Issue.record(error) }
                return nil
            }
        )
        try app.auth.useUserAccessGroup(Self.group)
        #expect(app.heard { $0.contains(.init(kind: "token", uid: "x")) }.contains(.init(kind: "state", uid: "x")))
        // The watch has begun once something is heard through it, and the place of the target's record is known.
        try world.put(world.account("w"), in: Self.group, appID: "")
        #expect(app.heard(2) == .both("w"))
        #expect(try app.stored(Self.target) == "y")

        isSwitching.withLock { $0 = true }
        try app.auth.useUserAccessGroup(Self.target)
        #expect(app.heard(4) == .both("y", "z"))
        #expect(app.auth.currentUser?.uid == "z")
        try world.put(world.account("v"), in: Self.target, appID: "")
        #expect(app.heard(2) == .both("v"))
        // Of the group that was left nothing is heard any more.
        try world.put(world.account("u"), in: Self.group, appID: "")
        try world.put(world.account("t"), in: Self.target, appID: "")
        #expect(app.heard(2) == .both("t"))
    }
}
