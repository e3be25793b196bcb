import FoundationEssentials
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

/// The bytes of a slot's record, down to the keyring item.
struct GoldenUserRecordTests {
    private let record = UserRecord()
        .signingIn(
            Account(
                profile: UserProfile(uid: "anonymous-1", isAnonymous: true),
                tokens: UserTokens(
                    idToken: "id-token-2",
                    refreshToken: "refresh-token-2",
                    expirationDate: Date(timeIntervalSince1970: 1_800_000_000)
                ),
                project: "project"
            )
        )
        .signingIn(
            Account(
                profile: UserProfile(
                    uid: "user-1",
                    email: "ada@example.com",
                    isEmailVerified: true,
                    displayName: "Ada Lövelace",
                    phoneNumber: "+15550100",
                    photoURL: URL(string: "https://example.com/ada.png"),
                    tenantID: "tenant-1",
                    providerData: [
                        UserInfo(
                            providerID: "password",
                            uid: "ada@example.com",
                            displayName: "Ada",
                            email: "ada@example.com",
                            phoneNumber: "+15550100",
                            photoURL: URL(string: "https://example.com/ada.png")
                        ),
                        UserInfo(providerID: "example.org", uid: "42"),
                    ],
                    creationDate: Date(timeIntervalSince1970: 1_700_000_000),
                    lastSignInDate: Date(timeIntervalSince1970: 1_750_000_000.5)
                ),
                tokens: UserTokens(
                    idToken: "header.payload/with+slash.signature",
                    refreshToken: "refresh-token-1",
                    expirationDate: Date(timeIntervalSince1970: 1_800_000_000.25)
                ),
                project: "project"
            ),
            keepingOthers: true
        )

    @Test("The golden user record reads as the accounts it was written from")
    func reads() throws {
        let golden = try UserRecord(decoding: GoldenBytes.read("user-record.json"))
        #expect(golden == record)
        #expect(golden.accounts.map(\.uid) == ["anonymous-1", "user-1"])
        #expect(golden.currentAccount?.profile.providerData.map(\.providerID) == ["password", "example.org"])
        #expect(try UserRecord(decoding: GoldenBytes.read("user-record-empty.json")) == UserRecord())
    }

    @Test("The same accounts are written as the golden user record")
    func writes() throws {
        try GoldenBytes.expect(record.encoded(), equalFile: "user-record.json")
        try GoldenBytes.expect(UserRecord().encoded(), equalFile: "user-record-empty.json")
    }

    /// Sessions that version 1 cannot express: one without an ID token, and one without a refresh token.
    private let opaque = UserRecord()
        .signingIn(
            Account(
                profile: UserProfile(uid: "user-1"),
                tokens: UserTokens(
                    idToken: nil,
                    refreshToken: "refresh-token-1",
                    expirationDate: Date(timeIntervalSince1970: 1_800_000_000.25),
                    accessTokens: [
                        AccessToken(
                            token: "opaque-1",
                            scopes: ["mail", "calendar"],
                            expirationDate: Date(timeIntervalSince1970: 1_800_000_000.25)
                        ),
                        AccessToken(token: "opaque-2", expirationDate: Date(timeIntervalSince1970: 1_800_000_100)),
                    ],
                    issueDate: Date(timeIntervalSince1970: 1_799_996_400)
                ),
                project: "project",
                issuer: "https://login.example.com"
            )
        )
        .signingIn(
            Account(
                profile: UserProfile(uid: "user-2"),
                tokens: UserTokens(
                    idToken: "id-token-2",
                    refreshToken: nil,
                    expirationDate: Date(timeIntervalSince1970: 1_800_000_000)
                ),
                project: "project"
            ),
            keepingOthers: true
        )

    @Test("A record that version 1 cannot express is read and written as golden version 2")
    func version2() throws {
        try GoldenBytes.expect(opaque.encoded(), equalFile: "user-record-2.json")
        let golden = try UserRecord(decoding: GoldenBytes.read("user-record-2.json"))
        #expect(golden == opaque)
        #expect(golden.formatVersion == 2)
    }

    @Test("A view of a fleet's record is written and read as golden version 3")
    func version3() throws {
        let date = Date(timeIntervalSince1970: 1_800_000_000)
        let views = [
            ("user-record-3.json", record.viewed(asOf: date)),
            ("user-record-3-empty.json", UserRecord().viewed(asOf: nil)),
        ]
        for (file, view) in views {
            try GoldenBytes.expect(view.encoded(), equalFile: file)
            let golden = try UserRecord(decoding: GoldenBytes.read(file))
            #expect(golden == view)
            #expect(golden.formatVersion == 3)
            #expect(try !GoldenBytes.text(file).contains("token-"))
        }
        #expect(views[0].1.currentAccount?.uid == "user-1" && views[0].1.fleet?.asOf == date)
    }

    private let sealed = Record(
        payload: Array("{\"payload\":\"of any kind\"}".utf8) + [0, 0xFF],
        revision: Revision(counter: 0x0102_0304_0506_0708, nonce: 0xFEDC_BA98_7654_3210)
    )
    private let key = RecordKey(
        scope: .app("com.example.Mail"),
        project: "project",
        instance: "default",
        kind: "user"
    )

    @Test("The golden envelope opens as the record it was sealed from")
    func opens() throws {
        #expect(try Envelope.open(GoldenBytes.read("keyring-envelope.txt"), for: key) == sealed)
    }

    @Test("The same record is sealed as the golden envelope")
    func seals() throws {
        try GoldenBytes.expect(Array(Envelope.seal(sealed, for: key).utf8), equalFile: "keyring-envelope.txt")
    }

    @Test("The attributes that find an item never change")
    func attributes() throws {
        let group = RecordKey(
            scope: .group("group.example.one"),
            project: "project",
            instance: "second",
            kind: "user"
        )
        let project = RecordKey(scope: .project, project: "project", instance: "default", kind: "identity-keys")
        let lines = [key, group, project].map { key in
            key.itemAttributes.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ") + "\n"
        }
        try GoldenBytes.expect(Array(lines.joined().utf8), equalFile: "keyring-attributes.txt")
        for line in try GoldenBytes.text("keyring-attributes.txt").split(separator: "\n") {
            let found = line.split(separator: " ").map { $0.split(separator: "=").map(String.init) }
            let attributes = Dictionary(uniqueKeysWithValues: found.map { ($0[0], $0[1]) })
            #expect([key, group, project].count { $0.isNamed(by: attributes) } == 1)
        }
    }
}
