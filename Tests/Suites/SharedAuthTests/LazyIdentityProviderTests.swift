import FoundationEssentials
import SharedAuth
import Synchronization
import TestSupport
import Testing

struct LazyIdentityProviderTests {
    @Test("A provider's closure may use Auth.auth() and runs once, at the first sign-in")
    func closure() async {
        await #expect(processExitsWith: .success) {
            let made = Mutex(0)
            let identity = ScriptedIdentity()
            identity.expect(.scripted("x"))
            identity.expect(.scripted("y"))
            try AuthApp.configure(
                AuthApp.Options(
                    appID: "com.example.Lazy",
                    identityProvider: IdentityProviderFactory { context in
                        made.withLock { $0 += 1 }
                        #expect(Auth.auth().app?.options.project == context.project)
                        #expect(Auth.auth().currentUser == nil)
                        return identity
                    },
                    store: .inMemory(),
                    stateDirectory: TestDirectory.newPath()
                )
            )
            #expect(Auth.auth().currentUser == nil)
            #expect(made.withLock { $0 } == 0)
            async let first = Auth.auth().signIn(withEmail: "a@example.com", password: "password")
            async let second = Auth.auth().signIn(withEmail: "b@example.com", password: "password")
            _ = try await (first, second)
            #expect(made.withLock { $0 } == 1)
        }
    }
}
