import Foundation
import SharedAuth
import SharedAuthHTTP
import Synchronization
import TestSupport
import Testing

@testable import OpenIDConnect

struct DeviceTests {
    let world = IssuerFixture()

    private func signIn(showing shown: @escaping @Sendable (DeviceCode) -> Void = { _ in }) -> DeviceSignIn {
        DeviceSignIn(world.openID(), show: shown)
    }

    @Test("A device polls at the interval, and five seconds later after each slow_down")
    func signsIn() async throws {
        let codes = Mutex<[DeviceCode]>([])
        world.issuer.change {
            $0.deviceAnswers = ["authorization_pending", "slow_down", "authorization_pending", "slow_down"]
        }
        let auth = try world.app(world.openID())
        let user = try await auth.signIn(by: signIn { code in codes.withLock { $0.append(code) } })
        #expect(user.uid == "ada")
        #expect(world.waited.all == [5, 5, 10, 10, 15].map { .seconds($0) })
        #expect(codes.withLock { $0.map(\.userCode) } == ["ABCD-EFGH"])
        #expect("\(codes.withLock { $0 })".contains("ABCD") == false)
        #expect(world.issuer.lastForm["device_code"] == "device")
    }

    @Test(
        "Each way that a sign-in by code can end has its own error code",
        arguments: [
            ("expired_token", AuthErrorCode.timedOut), ("access_denied", .webContextCancelled),
            ("invalid_grant", .invalidCredential), ("invalid_client", .invalidClientID),
        ]
    )
    func ends(_ word: String, _ code: AuthErrorCode) async throws {
        world.issuer.change { $0.deviceAnswers = ["authorization_pending", word] }
        let auth = try world.app(world.openID())
        await expectFailure(code) { try await auth.signIn(by: signIn()) }
        #expect(auth.currentUser == nil)
        #expect(try world.storedBytes().isEmpty)
    }

    @Test(
        "A verification page must use https and not lead to this machine",
        arguments: ["http://issuer.example/device", "http://127.0.0.1:631/", "https://localhost/device"]
    )
    func page(_ address: String) async throws {
        let codes: [String: JSONValue] = [
            "device_code": "device", "user_code": "ABCD-EFGH", "verification_uri": "https://issuer.example/device",
        ]
        world.issuer.change {
            $0.answers["/device"] = .success(.json(codes.merging(["verification_uri": .string(address)]) { $1 }))
        }
        await expectFailure(.webInternalError) { try await signIn().credential() }
        let complete = codes.merging(["verification_uri_complete": .string(address)]) { $1 }
        world.issuer.change { $0.answers["/device"] = .success(.json(complete)) }
        let shown = Mutex<[DeviceCode]>([])
        _ = try await signIn { code in shown.withLock { $0.append(code) } }.credential()
        #expect(shown.withLock { $0.map(\.completeVerificationURL) } == [nil])
    }

    @Test("If no code is entered, the sign-in ends with the code or the user's time limit")
    func nobody() async throws {
        world.issuer.change { $0.deviceAnswers = Array(repeating: "authorization_pending", count: 1000) }
        await expectFailure(.timedOut) { try await signIn().credential() }
        #expect(world.waited.time == .seconds(300))
        var patient = signIn()
        patient.timeout = .seconds(3600)
        await expectFailure(.timedOut) { try await patient.credential() }
        #expect(world.waited.time == .seconds(900))
    }

    @Test("A sign-in that the app cancels is webContextCancelled")
    func cancelled() async throws {
        world.issuer.change { $0.deviceAnswers = Array(repeating: "authorization_pending", count: 1000) }
        world.waited.cancel(at: 3)
        await expectFailure(.webContextCancelled) { try await signIn().credential() }
        #expect(world.issuer.count(of: "/token urn:ietf:params:oauth:grant-type:device_code") == 2)
    }

    static let passing: [HTTPError.Code] = [.unreachable, .timedOut, .cutOff]

    @Test(
        "While the network is down or slow, a device polls less and less often",
        arguments: passing
    )
    func network(_ code: HTTPError.Code) async throws {
        world.issuer.change { script in
            script.answers["/token"] = .failure(HTTPError(code, "The test says so.", requestWasSent: true))
        }
        world.waited.cancel(at: 6)
        await expectFailure(.webContextCancelled) { try await signIn().credential() }
        #expect(world.waited.all == [5, 10, 20, 40, 80, 80].map { .seconds($0) })
    }

    @Test(
        "A provider without device codes, and a malformed code, have distinct errors"
    )
    func notOffered() async throws {
        world.issuer.change { script in
            script.answers["/device"] = .success(.json(["user_code": "A"]))
        }
        await expectFailure(.webInternalError) { try await signIn().credential() }
        world.issuer.change { $0.changeMetadata = { $0["device_authorization_endpoint"] = nil } }
        await expectFailure(.operationNotAllowed) { try await signIn().credential() }
    }
}
