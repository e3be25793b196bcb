import TestSupport
import Testing

@testable import SharedAuth

extension OneAtATime {
    /// A hundred processes watch one group.
    struct FanOutTests {
        static let group = "group.example.fan"

        @Test("Every process sees every change, and after a thousand in a row all end in the last state")
        func hundred() async throws {
            let keyring = try PrivateKeyring()
            defer { keyring.shutdown() }
            let arguments = ["--app-id", "com.example.Watcher", "--project", "fan"]
            let chosen = try keyring.run(BuiltProducts.executable("sharedauth"), ["use-group", Self.group] + arguments)
            #expect(chosen.status == 0)
            let watchers = try WatcherFan(100, in: keyring, arguments: arguments)
            #expect(await watchers.agreement(on: nil) == 100)

            var world = try TestApp.World(keyring)
            world.project = "fan"
            let writer = try TestApp(world, listens: false)
            try writer.auth.useUserAccessGroup(Self.group)
            for number in 1...50 {
                try await writer.signIn("user\(number)")
                #expect(await watchers.agreement(on: "user\(number)") == 100)
            }
            let everything: [String?] = [nil] + (1...50).map { "user\($0)" }
            #expect(watchers.histories.allSatisfy { $0 == everything })

            for number in 1...1000 { try await writer.signIn("burst\(number)") }
            #expect(await watchers.agreement(on: "burst1000") == 100)
        }
    }
}
