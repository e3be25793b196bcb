internal import Synchronization

/// The identity provider of an app, made at its first use.
///
/// The app's closure that makes it may call `Auth.auth()`, so it runs when the app is registered, under no lock that
/// such a call takes.
final class LazyIdentityProvider: Sendable {
    private let make: @Sendable () -> any IdentityProvider
    private let made = Mutex<(any IdentityProvider)?>(nil)

    init(_ make: @escaping @Sendable () -> any IdentityProvider) {
        self.make = make
    }

    /// The provider; the same one each time. Of several first callers, one makes it and the others wait.
    var value: any IdentityProvider {
        made.withLock { made in
            let value = made ?? make()
            made = value
            return value
        }
    }
}
