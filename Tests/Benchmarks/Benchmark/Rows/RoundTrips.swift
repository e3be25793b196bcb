import Foundation
import SecretService
import SharedAuth
import Synchronization
import TestSupport

/// Counts the bus calls of an operation and its waits for them; calls that are sent together count as one wait.
enum RoundTrips {
    struct Count: Codable {
        let operation: String
        let calls: [String]
        let waits: [String]
    }

    /// Returns the calls of each operation in a warm process.
    static func count(on bench: BenchmarkFixture) async throws -> [Count] {
        var counts: [Count] = []
        for operation in operations {
            counts.append(try await count(operation.name, on: bench))
        }
        return counts
    }

    static func print(_ counts: [Count]) {
        Swift.print("\ncalls on the bus and waits for them, warm")
        for count in counts {
            let waits = count.waits.joined(separator: ", ")
            Swift.print("  \(count.operation): \(count.calls.count) calls, \(count.waits.count) waits (\(waits))")
        }
    }

    /// Returns the methods that one operation calls, in order.
    static func calls(of operation: String, on bench: BenchmarkFixture) async throws -> [String] {
        try await count(operation, on: bench).calls
    }

    private static func count(_ operation: String, on bench: BenchmarkFixture) async throws -> Count {
        guard let operation = operations.first(where: { $0.name == operation }) else {
            throw Failure("no operation \(operation)")
        }
        let seen = Mutex<[String]>([])
        let waits = WaitCounter()
        var configuration = SecretService.Configuration(busAddress: .address(bench.keyring.busAddress))
        configuration.interceptor = CallInterceptor { call, _ in
            seen.withLock { $0.append(call.member) }
            return nil
        }
        configuration.waits = waits
        var options = BenchmarkFixture.options(bench.keyring)
        options.appID = "com.example.Counted"
        // The app's read after its own write would be counted with the next operation.
        options.observesOtherProcesses = false
        options.store = .custom(SecretServiceRecordStore(SecretService(configuration)))
        let auth = try Auth.auth(app: AuthApp(unregistered: options))
        let users = try BenchmarkFixture.groups.compactMap { try auth.getStoredUser(forAccessGroup: $0) }
        for turn in 0..<4 {
            if turn == 3 {
                seen.withLock { $0 = [] }
                _ = waits.takeAll()
            }
            try await operation.run(auth, users, turn)
        }
        return Count(operation: operation.name, calls: seen.withLock { $0 }, waits: waits.takeAll())
    }

    private struct Operation {
        let name: String
        let run: (Auth, [User], _ turn: Int) async throws -> Void
    }

    private static var operations: [Operation] {
        [
            Operation(name: "currentUser") { auth, _, _ in _ = auth.currentUser },
            Operation(name: "getStoredUser") { auth, _, _ in
                _ = try auth.getStoredUser(forAccessGroup: BenchmarkFixture.groups[0])
            },
            Operation(name: "useUserAccessGroup") { auth, _, turn in
                try auth.useUserAccessGroup(BenchmarkFixture.groups[turn % 2])
            },
            Operation(name: "updateCurrentUser") { auth, users, turn in
                try await auth.updateCurrentUser(users[turn % 2])
            },
        ]
    }
}

extension BareKeyring {
    /// Makes a bare call of the same kind.
    func replay(_ member: String, item: String) throws {
        switch member {
        case "GetSecret": try getSecret(item)
        case "RequestName", "ReleaseName", "AddMatch", "RemoveMatch", "GetNameOwner": try askBus()
        default: try ping()
        }
    }
}
