import Foundation
import Synchronization
import TestSupport
import Testing

@testable import BrowserFlow

@Suite("Users that may send the redirect", .timeLimit(.minutes(1)))
struct ConnectionOwnerTests {
    private static let isRoot = geteuid() == 0

    private static func request(_ port: Int, code: String) -> String {
        "GET /callback?state=s&code=\(code) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
    }

    private static func ends(of connection: RawConnection, _ family: Int32 = AF_INET) -> ConnectionOwner.Ends {
        let words = family == AF_INET ? [UInt32(0x7f00_0001).bigEndian] : [0, 0, 0, UInt32(1).bigEndian]
        return ConnectionOwner.Ends(
            listener: .init(words: words, port: connection.ends.other),
            browser: .init(words: words, port: connection.ends.own)
        )
    }

    /// Sends a request as another user of this machine and returns the response.
    private static func asOtherUser(_ port: Int, code: String, waits: Bool) throws -> String {
        let keyring = try PrivateKeyring(state: .noDaemon)
        defer { keyring.shutdown() }
        let connect = "exec 3<>/dev/tcp/127.0.0.1/\(port)"
        let send = "printf '%s\\r\\n' 'GET /callback?state=s&code=\(code) HTTP/1.1' 'Host: 127.0.0.1:\(port)' '' >&3"
        let user = ["--reuid=1", "--regid=1", "--clear-groups"]
        let script = ["bash", "-c", "\(connect); \(send); \(waits ? "cat <&3" : "exec 3>&-")"]
        return try keyring.run("setpriv", user + script).standardOutput
    }

    @Test(
        "Another user's browser is refused, and this user's completes the sign-in",
        .enabled(if: isRoot, "only root can be two users")
    )
    func otherUser() async throws {
        let noted = Mutex<[RedirectRefusal]>([])
        let listener = try RedirectListener(path: "/callback", port: nil, host: .address, page: .default) { refusal in
            noted.withLock { $0.append(refusal) }
        }
        let port = try #require(listener.redirectURI.port)
        async let answer = listener.redirect(matching: "s")
        let refusal = try Self.asOtherUser(port, code: "theirs", waits: true)
        #expect(refusal.hasPrefix("HTTP/1.1 403 "), "\(refusal)")
        let page = get(port, "/callback?state=s&code=ours")
        #expect(page?.hasPrefix("HTTP/1.1 200 ") == true)
        #expect(try await answer["code"] == "ours")
        #expect(noted.withLock { $0 } == [.otherUser])
    }

    @Test(
        "Another user who closes before the listener checks is refused too",
        .enabled(if: isRoot, "only root can be two users")
    )
    func otherUserGone() async throws {
        let listener = try RedirectListener()
        let port = try #require(listener.redirectURI.port)
        _ = try Self.asOtherUser(port, code: "theirs", waits: false)
        async let answer = listener.redirect(matching: "s")
        _ = get(port, "/callback?state=s&code=ours")
        #expect(try await answer["code"] == "ours")
    }

    @Test("A connection closed before the listener checks it is not accepted", arguments: [true, false])
    func gone(byReset: Bool) async throws {
        let listener = try RedirectListener()
        let port = try #require(listener.redirectURI.port)
        let ends: ConnectionOwner.Ends
        do {
            let connection = try #require(RawConnection(port))
            if byReset { connection.resetWhenClosed() }
            connection.send(Self.request(port, code: "closed"))
            ends = Self.ends(of: connection)
        }
        // A process that another test has just forked holds a copy of the socket until it runs its program.
        while ConnectionOwner.find(of: ends) != .gone { sched_yield() }
        async let answer = listener.redirect(matching: "s")
        _ = get(port, "/callback?state=s&code=open")
        #expect(try await answer["code"] == "open")
    }

    @Test(
        "The kernel's query and its list of sockets name the same owner of a connection",
        arguments: ListenerTests.families
    )
    func bothWays(family: Int32) throws {
        let listener = try RedirectListener(host: .localhost)
        let port = try #require(listener.redirectURI.port)
        let connection = try #require(RawConnection(port, family: family))
        let ends = Self.ends(of: connection, family)
        #expect(ConnectionOwner.find(of: ends) == .user(geteuid()))
        #expect(ConnectionTable.owner(of: ends) == .user(geteuid()))
        withExtendedLifetime(connection) {}
        let other = ConnectionOwner.Ends(listener: ends.browser, browser: .init(words: ends.browser.words, port: 0))
        #expect(ConnectionOwner.find(of: other) == .gone)
        #expect(ConnectionTable.owner(of: other) == .gone)
    }

    @Test("The socket list omits owners of closed sockets; IPv6 has mapped addresses")
    func table() {
        let table = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:9C4B 0100007F:0050 06 00000000:00000000 03:00000F13 00000000     0        0 0 3 0
               1: FF:9C4B 0100007F:0050 01 00000000:00000000 00:00000000 00000000  1000        0 5432 1 00
            """
        #expect(ConnectionOwner.inTable(table, between: ["0100007F:9C4B", "0100007F:0050"]) == .gone)
        #expect(ConnectionOwner.inTable(table, between: ["FF:9C4B", "0100007F:0050"]) == .user(1000))
        #expect(ConnectionOwner.inTable(table, between: ["0100007F:0050", "0100007F:9C4B"]) == nil)
    }

    @Test(
        "This user, root and the namespace's unmapped users are trusted; others are not"
    )
    func trust() {
        func isTrusted(_ owner: ConnectionOwner, overflow: uid_t? = nil) -> Bool {
            owner.isTrusted(own: 1000, overflow: overflow)
        }
        #expect(isTrusted(.user(1000)) && isTrusted(.user(0)) && isTrusted(.unknown))
        #expect(!isTrusted(.user(1001)) && !isTrusted(.gone))
        #expect(!isTrusted(.user(65534)) && isTrusted(.user(65534), overflow: 65534))
    }

    @Test(
        "Users without an ID are trusted only where the person may be one of them",
        arguments: [
            ("         0          0 4294967295\n", nil),
            // Sandboxes map the person alone, by the same number or another.
            ("      1000       1000          1\n", nil),
            ("      1000       1001          1\n", nil),
            ("         0       1000          1\n         1     100000      65536\n", 65533),
            (
                "         0     100000       1000\n      1000       1000          1\n      1001     101000      64535\n",
                nil
            ),
            ("         0          0      65536\n", nil),
            // A container whose users are nobody outside.
            ("         0     100000      65536\n", 65533),
        ] as [(String, uid_t?)]
    )
    func personWithoutID(map: String, expected: uid_t?) {
        #expect(UserNamespace.personWithoutID(own: 1000, map: map, overflow: "65533\n") == expected)
        #expect(UserNamespace.personWithoutID(own: 1000, map: nil, overflow: nil) == 65534)
    }

    @Test("The first browser is served even if more connect than the listener keeps")
    func crowd() async throws {
        let listener = try RedirectListener()
        let port = try #require(listener.redirectURI.port)
        let browser = try #require(RawConnection(port))
        browser.send(Self.request(port, code: "first"))
        let crowd = (1...50).map { _ in RawConnection(port) }
        let answer = try await listener.redirect(matching: "s", timeout: .seconds(20))
        #expect(answer["code"] == "first")
        withExtendedLifetime((browser, crowd)) {}
    }

    @Test("While programs connect in a loop, the redirect arrives and the timeout works", arguments: [true, false])
    func flood(isAnswered: Bool) async throws {
        let listener = try RedirectListener()
        let port = try #require(listener.redirectURI.port)
        let flood = Flood(port)
        defer { flood.stop() }
        if isAnswered {
            async let answer = listener.redirect(matching: "s")
            let page = get(port, "/callback?state=s&code=c")
            #expect(page?.hasPrefix("HTTP/1.1 200 ") == true)
            #expect(try await answer["code"] == "c")
        } else {
            await expectFailure(\BrowserFlowError.code, .timedOut) {
                _ = try await listener.redirect(matching: "s", timeout: .milliseconds(300))
            }
        }
    }
}

extension RawConnection: @unchecked Sendable {}

/// Programs that connect to a port in a loop.
private final class Flood: Sendable {
    private let isOver = Recorder<Void>()

    init(_ port: Int) {
        for _ in 1...32 {
            Thread.detachNewThread { [isOver] in
                while isOver.events.isEmpty, RawConnection(port) != nil {}
            }
        }
    }

    func stop() { isOver.record(()) }
}
