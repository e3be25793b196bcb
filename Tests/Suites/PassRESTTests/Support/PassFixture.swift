import Foundation
import SecretService
import SharedAuth
import SharedAuthHTTP
import Synchronization
import TestSupport

@testable import PassAuth
@testable import PassREST

/// A scripted server, a keyring in memory, and back ends that use them, with clocks that a test sets.
struct PassFixture {
    static let mvpd = "Cable"

    let pass = ScriptedPass()
    let keyring = InMemoryRecordStore()
    let clock = TestClocks()

    func clients(of app: String = "com.example.one") -> StoredClients { StoredClients(appID: app, in: keyring) }

    func backEnd(
        _ app: String = "com.example.one",
        api: String = "http://127.0.0.1:1",
        others: [String] = [],
        _ change: (inout PassRESTBackend.Settings) -> Void = { _ in }
    ) throws -> PassRESTBackend {
        var settings = PassRESTBackend.Settings()
        settings.transport = pass
        settings.now = { [clock] in clock.now }
        change(&settings)
        return PassRESTBackend(
            try PassEndpoints(api: api, others: others),
            clients: clients(of: app),
            settings: settings,
            elapsed: { [clock] in clock.elapsed }
        )
    }

    /// Returns a registered back end; the requests of the registration are discarded.
    func registered(_ change: (inout PassRESTBackend.Settings) -> Void = { _ in }) async throws -> PassRESTBackend {
        let backEnd = try backEnd("com.example.one", change)
        try await backEnd.register("statement", options)
        _ = pass.takeSent()
        return backEnd
    }

    var options: ClientOptions {
        var client = ClientInformation(model: "Box", applicationID: "com.example.one")
        // Otherwise it is the connection of this machine.
        client.connectionType = "LAN"
        return ClientOptions(client: client)
    }

    func request(
        _ mvpd: String? = PassFixture.mvpd,
        token: AuthenticationToken? = nil,
        genericData: [String: String] = [:],
        _ change: (inout ClientOptions) -> Void = { _ in }
    ) -> PassRequest {
        var options = options
        change(&options)
        return PassRequest(
            requestor: "REQ",
            mvpd: mvpd,
            domain: "example.com",
            fingerprint: "f00d",
            options: options,
            token: token,
            genericData: genericData
        )
    }

    /// Returns a profile response: one profile of the TV provider, of this type and with these attributes.
    func profiles(
        _ type: String = "regular",
        _ attributes: String = #""userID": {"value": "person", "state": "plain"}"#,
        lifetime: TimeInterval = 3600
    ) -> HTTPResponse {
        let (start, end) = (milliseconds(clock.now), milliseconds(clock.now + lifetime))
        return .json(
            #"{"profiles": {"Cable": {"notBefore": \#(start), "notAfter": \#(end), "issuer": "Cable", "type": "\#(type)", "attributes": {\#(attributes)}}}}"#
        )
    }

    /// Returns a decision that permits a resource, with this media token.
    func permit(_ resource: String = "news", source: String = "mvpd", media: String = "bWVkaWE=") -> HTTPResponse {
        let end = milliseconds(clock.now + 600)
        return .json(
            #"{"decisions": [{"resource": "\#(resource)", "serviceProvider": "REQ", "mvpd": "Cable", "source": "\#(source)", "authorized": true, "notBefore": 1, "notAfter": \#(end), "token": {"notBefore": 1, "notAfter": \#(end), "serializedToken": "\#(media)"}}]}"#
        )
    }

    func session(_ action: String, code: String? = "ABC1234", url: String? = "/api/v2/authenticate/REQ/ABC1234")
        -> HTTPResponse
    {
        let start = milliseconds(clock.now)
        let code = code.map { #""code": "\#($0)", "# } ?? ""
        let url = url.map { #""url": "\#($0)", "# } ?? ""
        return .json(
            #"{"actionName": "\#(action)", "actionType": "interactive", "reasonType": "none", \#(code)\#(url)"sessionId": "s", "mvpd": "Cable", "serviceProvider": "REQ", "notBefore": "\#(start)", "notAfter": "\#(start + 1_800_000)"}"#
        )
    }

    static let configuration =
        #"{"requestor": {"id": "REQ", "name": "News", "domains": [{"name": "example.com", "mvpdInitiated": false}, {"name": "example.org"}], "mvpds": [{"id": "Cable", "displayName": "Cable TV", "logoUrl": "https://logo/1"}, {"id": "Dish", "authPerAggregator": true, "passiveAuthnEnabled": true, "enablePlatformServices": true, "boardingStatus": "PICKER"}, {"id": "Trial", "isTempPass": true, "authPerAggregator": true}, {"displayName": "nameless"}]}}"#

    private func milliseconds(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970 * 1000) }
}

/// The time of day, and the time elapsed. They are separate because a user may set the clock.
final class TestClocks: Sendable {
    private let times = Mutex((now: Date(timeIntervalSince1970: 1_800_000_000), elapsed: Duration.zero))

    var now: Date { times.withLock { $0.now } }
    var elapsed: Duration { times.withLock { $0.elapsed } }

    func advance(by seconds: Double) {
        times.withLock { times in
            times.now += seconds
            times.elapsed += .seconds(seconds)
        }
    }
}

/// Returns the error that a call throws.
func failure<Value>(
    isolation: isolated (any Actor)? = #isolation,
    of call: () async throws(PassBackendError) -> Value
) async -> PassBackendError? {
    do throws(PassBackendError) {
        _ = try await call()
        return nil
    } catch {
        return error
    }
}

extension RedirectURL {
    static let here = RedirectURL(plain: "adobepass://ios.app", secure: "adbe.x://adobe.com", isSecondScreen: false)
    static let secondScreen = RedirectURL(plain: "adobepass://ios.app", secure: nil, isSecondScreen: true)
}
