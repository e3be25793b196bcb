import FoundationEssentials
import PassAuth
import Testing

struct VerdictTests {
    private static let expiry = Date(timeIntervalSince1970: 1_800_000_000)
    private let before = expiry.addingTimeInterval(-1)

    private func token(
        fingerprint: String = "ab12",
        key: TokenSigningKey? = Keys.first,
        requestor: String = "R",
        mvpd: String = "Cable"
    ) throws -> AuthenticationToken {
        try AuthenticationToken(
            userID: "guid",
            requestor: requestor,
            domain: "example.com",
            mvpd: mvpd,
            expires: Self.expiry,
            fingerprint: fingerprint,
            signedWith: key
        )
    }

    @Test("A token is valid before its expiry, on its device, for a listed MVPD")
    func valid() throws {
        let token = try token()
        #expect(
            token.verdict(
                at: before,
                fingerprint: "ab12",
                allowedIssuers: ["Cable", "Other"],
                requestor: "R",
                publicKey: Keys.first.publicKey
            ) == .valid
        )
        #expect(token.verdict(at: before, fingerprint: "ab12", allowedIssuers: ["Cable"], requestor: nil) == .valid)
    }

    @Test("Programmers and TV providers are compared by bytes, not by appearance")
    func bytes() throws {
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        let token = try token(requestor: composed, mvpd: composed)
        func verdict(_ requestor: String, _ mvpd: String) -> TokenVerdict {
            token.verdict(at: before, fingerprint: "ab12", allowedIssuers: [mvpd], requestor: requestor)
        }
        #expect(verdict(composed, composed) == .valid)
        #expect(verdict(decomposed, composed) != .valid && verdict(composed, decomposed) != .valid)
    }

    @Test("At the instant of its expiry a token is expired")
    func expired() throws {
        let token = try token()
        for date in [Self.expiry, Self.expiry.addingTimeInterval(1), .distantFuture] {
            let verdict = token.verdict(at: date, fingerprint: "ab12", allowedIssuers: ["Cable"], requestor: "R")
            #expect(verdict == .expired(Self.expiry))
        }
    }

    @Test(
        "A token is invalid if its MVPD left the list or the list is empty",
        arguments: [[], ["cable"], ["Other"]]
    )
    func issuers(issuers: Set<String>) throws {
        let verdict = try token().verdict(at: before, fingerprint: "ab12", allowedIssuers: issuers, requestor: "R")
        #expect(verdict == .issuerNotAllowed("Cable"))
    }

    @Test(
        "Another device's token is foreign, even if only the case differs",
        arguments: ["AB12", "ab1", "ab12 ", "", "ab123"]
    )
    func foreign(fingerprint: String) throws {
        let verdict = try token().verdict(
            at: before,
            fingerprint: fingerprint,
            allowedIssuers: ["Cable"],
            requestor: "R"
        )
        #expect(verdict == .foreignDevice)
    }

    @Test("White space around a token's fingerprint does not change the device")
    func whiteSpace() throws {
        let spaced = try token().serialized.replacing(">ab12<", with: ">\r\n\t ab12 <")
        let token = try AuthenticationToken(fragment: spaced)
        #expect(token.verdict(at: before, fingerprint: "ab12", allowedIssuers: ["Cable"], requestor: "R") == .valid)
    }

    @Test("A token is checked against the fingerprint of a device identity")
    func device() throws {
        let (mine, other) = (try DeviceIdentity.custom("mine"), try DeviceIdentity.custom("other"))
        let token = try token(fingerprint: mine.fingerprint)
        #expect(token.verdict(at: before, device: mine, allowedIssuers: ["Cable"], requestor: "R") == .valid)
        #expect(token.verdict(at: before, device: other, allowedIssuers: ["Cable"], requestor: "R") == .foreignDevice)
    }

    @Test("Another programmer's token is not accepted")
    func otherRequestor() throws {
        let verdict = try token().verdict(at: before, fingerprint: "ab12", allowedIssuers: ["Cable"], requestor: "S")
        #expect(verdict == .otherRequestor("R"))
    }

    @Test("A verdict has only the date, TV provider or programmer that it is about")
    func subjects() {
        let verdicts = [
            TokenVerdict.expired(Self.expiry), .issuerNotAllowed("Cable"), .otherRequestor("R"), .valid,
            .foreignDevice, .badSignature,
        ]
        #expect(verdicts.map { $0.expirationDate } == [Self.expiry, nil, nil, nil, nil, nil])
        #expect(verdicts.map { $0.disallowedIssuer } == [nil, "Cable", nil, nil, nil, nil])
        #expect(verdicts.map { $0.otherRequestor } == [nil, nil, "R", nil, nil, nil])
    }

    @Test("With a public key, an unsigned, changed or foreign token is not valid")
    func signature() throws {
        let signed = try token()
        let changed = try AuthenticationToken(fragment: signed.serialized.replacing(">guid<", with: ">gujd<"))
        for token in [try token(key: nil), try token(key: Keys.second), changed] {
            let (issuers, key): (Set<String>, _) = (["Cable"], Keys.first.publicKey)
            #expect(
                token.verdict(at: before, fingerprint: "ab12", allowedIssuers: issuers, requestor: "R", publicKey: key)
                    == .badSignature
            )
            #expect(token.verdict(at: before, fingerprint: "ab12", allowedIssuers: issuers, requestor: "R") == .valid)
        }
    }

    @Test("The first objection counts: signature, programmer, MVPD, device, expiry")
    func order() throws {
        let token = try token()
        let after = Self.expiry
        let key = Keys.second.publicKey
        #expect(
            token.verdict(at: after, fingerprint: "x", allowedIssuers: [], requestor: "S", publicKey: key)
                == .badSignature
        )
        #expect(token.verdict(at: after, fingerprint: "x", allowedIssuers: [], requestor: "S") == .otherRequestor("R"))
        #expect(
            token.verdict(at: after, fingerprint: "x", allowedIssuers: [], requestor: "R") == .issuerNotAllowed("Cable")
        )
        #expect(token.verdict(at: after, fingerprint: "x", allowedIssuers: ["Cable"], requestor: "R") == .foreignDevice)
    }
}
