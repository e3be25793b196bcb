import OpenIDConnect
import SharedAuth
import Testing

@testable import IdentityToolkit

struct IssuerTests {
    @Test(
        "An identity provider is re-created from the issuer in its accounts",
        arguments: [(nil, "KEY"), ("127.0.0.1", "KEY"), ("::1", "a #&é")]
    )
    func again(_ host: String?, _ key: String) throws {
        let toolkit = IdentityToolkit(apiKey: key)
        if let host { toolkit.use(Emulator(host: host, port: 9099, allowsPlainHTTP: false)) }
        let again = try #require(IdentityToolkit(issuer: toolkit.issuer))
        #expect(again.apiKey == key && again.issuer == toolkit.issuer)
        #expect(again.backend.emulator == toolkit.backend.emulator)
    }

    @Test("Permission for an emulator on another machine is not stored with accounts")
    func otherMachine() throws {
        let toolkit = IdentityToolkit(apiKey: "KEY")
        toolkit.use(Emulator(host: "emulator.example", port: 9099, allowsPlainHTTP: true))
        let again = try #require(IdentityToolkit(issuer: toolkit.issuer))
        #expect(again.backend.emulator?.allowsPlainHTTP == false)
    }

    @Test(
        "An issuer of another kind is not Firebase's",
        arguments: [
            "app", "https://identitytoolkit.googleapis.com/", "https://identitytoolkit.googleapis.com/#",
            "https://identitytoolkit.googleapis.com#KEY", "http://identitytoolkit.googleapis.com/#KEY",
            "https://identitytoolkit.googleapis.com.example/#KEY", "http://127.0.0.1:9099/#desktop",
            "http://127.0.0.1/identitytoolkit.googleapis.com/#KEY", "http:///identitytoolkit.googleapis.com/#KEY",
            "https://127.0.0.1:9099/identitytoolkit.googleapis.com/#KEY", "https://issuer.example/realm#desktop",
        ]
    )
    func other(_ issuer: String) {
        #expect(IdentityToolkit(issuer: issuer) == nil)
    }

    @Test("An OpenID provider on this machine is not mistaken for an emulator")
    func openID() {
        for url in ["http://127.0.0.1:9099", "http://127.0.0.1:9099/"] {
            #expect(IdentityToolkit(issuer: OpenIDClient(issuerURL: url, clientID: "desktop").issuer) == nil)
        }
    }
}
