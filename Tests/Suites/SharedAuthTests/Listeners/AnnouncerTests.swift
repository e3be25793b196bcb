import Synchronization
import TestSupport
import Testing

@testable import SharedAuth

/// Which listeners are called for a change, and which are not.
struct AnnouncerTests {
    private let announcer = Announcer(executor: ListenerExecutor(loops: []))

    private func user(_ uid: String, of issuer: String = "https://one.example") -> User {
        let profile = UserProfile(uid: uid)
        let account = Account(profile: profile, tokens: .scripted(uid, "1"), project: "p", issuer: issuer)
        return User(account, auth: nil, slot: nil)
    }

    /// Adds a listener that yields each user that it is called with.
    private func listen(_ kind: Listener.Kind) -> (Listener, AsyncStream<User?>.Iterator) {
        let (users, continuation) = AsyncStream<User?>.makeStream()
        let listener = Listener(kind, .sequence(continuation))
        announcer.add(listener)
        return (listener, users.makeAsyncIterator())
    }

    /// Returns the users that a listener was called with, and removes it.
    private func calls(of listener: Listener, _ users: AsyncStream<User?>.Iterator) async -> [User?] {
        announcer.remove(listener)
        var (users, calls) = (users, [User?]())
        while let user = await users.next() { calls.append(user) }
        return calls
    }

    @Test("The same uid of another issuer is another user", arguments: [Listener.Kind.authState, .idToken])
    func otherIssuer(_ kind: Listener.Kind) async {
        let (one, other) = (user("1234"), user("1234", of: "https://other.example"))
        let (listener, users) = listen(kind)
        announcer.announce(one)
        announcer.announce(other)
        #expect(await calls(of: listener, users) == [one, other])
    }

    @Test("A new token of the same account is news to listeners of tokens alone")
    func newToken() async {
        let (one, again) = (user("x"), user("x"))
        let (state, states) = listen(.authState)
        let (token, tokens) = listen(.idToken)
        announcer.announce(one)
        announcer.announce(again)
        #expect(await calls(of: state, states) == [one])
        #expect(await calls(of: token, tokens) == [one, again])
    }

    @Test("A listener added while the user is unknown waits; no other is called again")
    func unknown() async {
        let user = user("x")
        let (early, earlyUsers) = listen(.idToken)
        announcer.announce(user)
        announcer.unsettle()
        let (late, lateUsers) = listen(.idToken)
        let (removed, removedUsers) = listen(.idToken)
        #expect(await calls(of: removed, removedUsers).isEmpty)
        announcer.note(user)
        announcer.note(user)
        #expect(await calls(of: early, earlyUsers) == [user])
        #expect(await calls(of: late, lateUsers) == [user])
    }

    @Test("Listeners stay in the order in which they were added, whichever are removed")
    func order() {
        var (list, kept) = (ListenerList(), [Listener]())
        for number in 0..<100 {
            let listener = Listener(.authState, .executor { _ in })
            list.append(listener)
            if number % 3 == 0 { kept.append(listener) } else { list.remove(listener) }
        }
        #expect(list.all.map(ObjectIdentifier.init) == kept.map(ObjectIdentifier.init))
        list.remove(Listener(.authState, .executor { _ in }))
        for listener in kept { list.remove(listener) }
        #expect(list.all.isEmpty)
    }

    @Test("Removing a listener takes the same time however many there are", .timeLimit(.minutes(1)))
    func manyRemovals() {
        let listeners = (0..<100_000).map { _ in Listener(.authState, .executor { _ in }) }
        for listener in listeners { announcer.add(listener) }
        for listener in listeners.reversed() { announcer.remove(listener) }
        announcer.announce(nil)
    }
}
