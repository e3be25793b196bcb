import FirebaseStandInServer
import FoundationEssentials
import LoopbackServer
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

/// Tests two apps of a group, in separate processes, whose users sign in to a stand-in for Firebase.
struct FirebaseGroupTests {
    static let group = "group.example.firebase"

    private let world: AppFixture
    private let standIn: StandIn

    init() throws {
        world = try AppFixture()
        standIn = try StandIn()
    }

    /// Returns two apps with one user. If `observes` is false, neither app observes the changes of the other.
    private func pair(observes: Bool = true) async throws -> (mail: PeerProcess, calendar: PeerProcess) {
        let mail = try await peer("com.example.Mail", observes: observes)
        try await mail.obey("sign-up ada@example.com secret-1")
        let calendar = try await peer("com.example.Calendar", observes: observes)
        #expect(try await calendar.obey("current").uid == mail.obey("current").uid)
        return (mail, calendar)
    }

    private func peer(_ appID: String, observes: Bool) async throws -> PeerProcess {
        let options = ["--firebase", "\(standIn.port)"]
        return try await .started(world, appID: appID, group: Self.group, observes: observes, options: options)
    }

    private func count(_ kind: StandInEvent.Kind) -> Int { standIn.events.all.count { $0.kind == kind } }

    /// Sends a raw HTTP request.
    private func post(_ path: String, _ type: String, _ body: String, asOwner: Bool = false) async throws
        -> HTTPResponse
    {
        var headers: HTTPHeaders = ["Content-Type": type]
        if asOwner { headers["Authorization"] = "Bearer owner" }
        let url = try #require(URL(string: "\(standIn.address)/\(path)"))
        return try await HTTPClient().send(
            HTTPRequest(.post, url, headers: headers, body: Array(body.utf8)),
            retrying: .never
        )
    }

    @Test("Two apps that need a token make one exchange: the second adopts its result")
    func oneExchange() async throws {
        // They do not observe each other, so both start from the same token at any speed.
        let (mail, calendar) = try await pair(observes: false)
        let before = try await mail.obey("current").token
        standIn.add(CallFault(.hold, path: "v1/token"))
        mail.tell("refresh")
        _ = await standIn.events.first { $0.kind == .fault }
        // The exchange is pending: the other app waits for it and starts none.
        calendar.tell("refresh")
        standIn.release()
        let tokens = try await [mail.answer("refresh").token, calendar.answer("refresh").token]
        #expect(tokens[0] != nil && tokens[0] == tokens[1] && tokens[0] != before)
        #expect(count(.refresh) == 1 && count(.tokenReused) == 0)
        #expect(try await mail.obey("token").token == calendar.obey("token").token)
    }

    @Test(
        "After a password change in one app, the other stays signed in, observing or not",
        arguments: [true, false]
    )
    func passwordChange(observes: Bool) async throws {
        let (mail, calendar) = try await pair(observes: observes)
        try await listen(calendar)
        let uid = try await mail.obey("change-password secret-2").uid
        #expect(count(.passwordChanged) == 1)
        // Otherwise it starts from the old token, is rejected, and repeats the call with the new one.
        if observes { _ = try await calendar.event("token", uid) }
        #expect(try await calendar.obey("reload").uid == uid)
        #expect(try await calendar.obey("current").token == mail.obey("current").token)
        #expect(count(.refresh) == 0)
        #expect(try await calendar.obey("refresh").uid == uid)
        #expect(count(.refreshRefused) == 0 && count(.tokenReused) == 0)
        #expect(try await mail.obey("current").state == "signedIn")
        #expect(!calendar.inbox.takeEvents().contains { $0.event == "state" })
    }

    /// Lets an app report its listeners' calls from now on.
    private func listen(_ peer: PeerProcess) async throws {
        try await peer.obey("listen")
        _ = try await peer.event("state")
        _ = try await peer.event("token")
    }

    @Test("A session that is revoked at the server signs both apps out, each once")
    func revoked() async throws {
        let (mail, calendar) = try await pair()
        for peer in [mail, calendar] { try await listen(peer) }
        let uid = try #require(try await mail.obey("current").uid)
        let answer = try await post(
            "identitytoolkit.googleapis.com/v1/projects/stand-in/accounts:update",
            "application/json",
            #"{"localId":"\#(uid)","validSince":"1"}"#,
            asOwner: true
        )
        #expect(answer.status == 200)
        // Both apps detect it at the same time.
        mail.tell("refresh")
        calendar.tell("refresh")
        let codes = try await [mail.answer("refresh").error, calendar.answer("refresh").error]
        #expect(codes.contains(AuthErrorCode.userTokenExpired.rawValue))
        for peer in [mail, calendar] {
            #expect(try await peer.event("state").uid == nil)
            #expect(try await peer.event("token").uid == nil)
            #expect(try await peer.obey("current").state == "signedOut")
            #expect(try await peer.obey("stored \(Self.group)").uid == nil)
        }
        // A later event would be a second announcement.
        try await mail.obey("sign-up bo@example.com secret-1")
        for peer in [mail, calendar] {
            #expect(try await peer.event("state").uid != nil)
            let later = peer.inbox.takeEvents()
            #expect(!later.contains { ["state", "token"].contains($0.event) && $0.uid == nil })
        }
    }

    @Test("A refresh token used elsewhere ends that session and the group's")
    func stolen() async throws {
        let (mail, calendar) = try await pair()
        let stolen = try #require(try await mail.obey("current").token)
        let thief = try await post(
            "securetoken.googleapis.com/v1/token?key=KEY",
            "application/x-www-form-urlencoded",
            "grant_type=refresh_token&refresh_token=\(stolen)"
        )
        let taken = try #require(JSONObject(thief.body)?.string("refresh_token"))
        mail.tell("refresh")
        #expect(try await mail.answer("refresh").error == AuthErrorCode.userTokenExpired.rawValue)
        #expect(count(.tokenReused) == 1)
        let again = try await post(
            "securetoken.googleapis.com/v1/token?key=KEY",
            "application/x-www-form-urlencoded",
            "grant_type=refresh_token&refresh_token=\(taken)"
        )
        #expect(again.status == 400)
        #expect(try await calendar.obey("stored \(Self.group)").uid == nil)
    }
}
