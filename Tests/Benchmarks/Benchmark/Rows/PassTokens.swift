import Foundation
import PassAuth
import SecretService
import SharedAuth
import TestSupport

/// Measures storing one more authorization of an Adobe Pass session: with 200 stored it should cost as much as with
/// few.
enum PassTokens {
    private static let count = 200

    static func row(_ bench: BenchmarkFixture) throws -> Row {
        let (empty, full) = (try Session("few", on: bench), try Session("many", on: bench))
        for number in 0..<count { try full.store(number) }
        var turn = 0
        return Row(
            "one more authorization, 200 stored",
            Work("updateCache(of:), 200 stored") {
                turn += 1
                try full.store(turn % count)
            },
            batch: 10,
            against: [
                .init(
                    Work("updateCache(of:), 5 stored") {
                        turn += 1
                        try empty.store(turn % 5)
                    },
                    aim: 3
                )
            ]
        )
    }

    /// A signed-in programmer that plays one resource after another.
    private final class Session {
        private let store: PassTokenStore
        private let session: PassSession
        private var lifetime: TimeInterval = 86_400

        init(_ name: String, on bench: BenchmarkFixture) throws {
            let service = bench.keyring.makeService()
            store = PassTokenStore(
                appID: BenchmarkFixture.appID,
                group: try AccessGroup("group.example.pass.\(name)"),
                in: SecretServiceRecordStore(service),
                device: try .custom("bench"),
                options: .init(timeout: .seconds(20))
            )
            let requestor = RequestorConfiguration(id: "R", integrations: [MVPDIntegration(mvpd: "M")])
            let token = try AuthenticationToken(
                userID: "person",
                requestor: "R",
                domain: "example.com",
                mvpd: "M",
                expires: Date() + lifetime,
                fingerprint: store.device.fingerprint
            )
            session = try store.signIn(token, for: requestor)
        }

        /// Stores the authorization of one resource over the previous one, like a new response of the server.
        func store(_ number: Int) throws {
            lifetime += 1
            let token = try AuthorizationToken(
                requestor: "R",
                resource: "channel \(number)",
                mvpd: "M",
                expires: Date() + lifetime,
                fingerprint: store.device.fingerprint
            )
            try store.updateCache(of: session) { $0.keep(token) }
        }
    }
}
