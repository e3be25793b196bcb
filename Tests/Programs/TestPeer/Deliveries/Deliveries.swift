import CGLibSecret
import Dispatch
import SharedAuth
import TestSupport

/// A program for each place where an app may have its listeners called. Prints each call of a listener and its place.
///
/// Arguments: a `Place`, a `LoopScenario` or a `ServedMainQueue`, and a state directory. A `ServedMainQueue` may have a
/// third: the shared library of a main loop to run in place of GLib's.
enum Deliveries {
    static func run(_ arguments: [String]) throws {
        guard arguments.count == 2 || arguments.count == 3 else {
            print("usage: TestPeer deliveries PLACE STATE-DIRECTORY [LIBRARY]")
            return
        }
        if let scenario = LoopScenario(rawValue: arguments[0]) {
            return try scenario.run(stateDirectory: arguments[1])
        }
        if let program = ServedMainQueue(rawValue: arguments[0]) {
            let loop = arguments.count == 3 ? MainLoop(library: arguments[2]) : .glib
            return try program.run(stateDirectory: arguments[1], in: loop)
        }
        guard let place = Place(arguments[0]) else { return print("no such place") }
        let identity = ScriptedIdentity()
        identity.expect(.scripted("x"))
        try AuthApp.configure(
            AuthApp.Options(
                appID: "com.example.Deliveries",
                identityProvider: identity.source,
                listenerExecutor: place.executor,
                stateDirectory: arguments[1]
            )
        )
        place.isListening ? listen(at: place) : follow()
        place.run()
    }

    /// Reports listeners and completions in order, then the end.
    private static func listen(at place: Place) {
        let auth = Auth.auth()
        let states = auth.addStateDidChangeListener { _, user in place.report("state", user) }
        _ = auth.addIDTokenDidChangeListener { _, user in place.report("token", user) }
        auth.signIn(withEmail: "a@example.com", password: "password") { result, error in
            place.report("completion", result?.user, error)
            auth.removeStateDidChangeListener(states)
            auth.updateCurrentUser(nil) { error in
                place.report("refused \(error?.code.rawValue ?? 0)", nil)
                do {
                    try auth.signOut()
                } catch {
                    place.report("\(error)", nil)
                }
                // Delivered after the sign-out's announcements.
                auth.updateCurrentUser(nil) { _ in
                    place.report("end", nil)
                    place.leave()
                }
            }
        }
    }

    /// Prints the values of a sequence while nothing can call a listener.
    private static func follow() {
        let auth = Auth.auth()
        _ = auth.addStateDidChangeListener { _, _ in print("a listener was called") }
        Task {
            var users = auth.authStateChanges.makeAsyncIterator()
            print("state", await users.next()??.uid ?? "nil")
            try await auth.signIn(withEmail: "a@example.com", password: "password")
            print("state", await users.next()??.uid ?? "nil")
            try auth.signOut()
            print("state", await users.next()??.uid ?? "nil")
            Place.nowhere.leave()
        }
    }
}
