import FoundationEssentials
import TestSupport
import Testing

@testable import PassAuth

/// Twenty thousand broken tokens. The seed is printed; put it in `seed` to repeat a run.
struct FuzzTests {
    private static let rounds = 10_000
    private static let seed = UInt64.random(in: .min ... .max)
    private static let date = Date(timeIntervalSince1970: 1_700_000_000)

    @Test("F20, F21: no changed token that is bound to a device is valid, unless it says the same")
    func deviceBound() throws {
        print("seed \(Self.seed)")
        var random = SeededRandom(seed: Self.seed)
        let whole = try AuthenticationToken(
            userID: "guid",
            requestor: "R",
            domain: "example.com",
            mvpd: "Cable & Sons",
            expires: Self.date.addingTimeInterval(60),
            fingerprint: "ab12",
            authorizedResources: ["a", "<b>"],
            signedWith: Keys.first
        )
        var outcomes = Outcomes()
        for round in 0..<Self.rounds {
            let fragment = random.changing(whole.serialized)
            do throws(PassTokenError) {
                let token = try AuthenticationToken(fragment: fragment)
                let verdict = token.verdict(
                    at: Self.date,
                    fingerprint: "ab12",
                    allowedIssuers: ["Cable & Sons"],
                    requestor: "R",
                    publicKey: Keys.first.publicKey
                )
                outcomes.count(verdict == .valid)
                // Around what is signed there is white space to change, and base64 has bits to spare.
                guard verdict != .valid || Self.saysTheSame(token, whole) else {
                    Issue.record("seed \(Self.seed), round \(round): a changed token is valid")
                    return
                }
            } catch {
                outcomes.count(error)
            }
        }
        outcomes.expectVariety(rounds: Self.rounds)
    }

    @Test("F20, F39: no changed media token is valid, unless it says the same")
    func media() throws {
        print("seed \(Self.seed)")
        var random = SeededRandom(seed: ~Self.seed)
        let whole = try MediaToken(
            sessionGUID: "guid",
            requestor: "R",
            resource: "<rss>A & B</rss>",
            mvpd: "Cable",
            issued: Self.date,
            lifetime: .seconds(300),
            signedWith: Keys.first
        )
        let fragment = String(decoding: Data(base64Encoded: whole.serialized) ?? Data(), as: UTF8.self)
        let verifier = MediaTokenVerifier(publicKey: Keys.first.publicKey, requestor: "R") { Self.date }
        var outcomes = Outcomes()
        for round in 0..<Self.rounds {
            // Every fifth is changed outside the base64; the others reach further in.
            let changed =
                round % 5 == 0
                ? random.changing(whole.serialized)
                : Data(random.changing(fragment).utf8).base64EncodedString()
            let found = verifier.verify(changed, resource: whole.resource)
            switch found.status {
            case .valid, .invalidSignature:
                outcomes.count(found.isValid)
            case .invalidFormat:
                do throws(PassTokenError) {
                    if try !MediaToken(base64: changed).isCanonical { continue }
                    Issue.record("seed \(Self.seed), round \(round): refused, but it can be read")
                } catch {
                    outcomes.count(error)
                }
            default:
                Issue.record("seed \(Self.seed), round \(round): \(found.status) although the signature tells")
            }
            guard let token = found.token else { continue }
            guard token.sessionGUID == whole.sessionGUID, token.resource == whole.resource,
                token.expires == whole.expires,
                token.requestor == whole.requestor, token.mvpd == whole.mvpd, token.proxyMvpd == nil
            else {
                Issue.record("seed \(Self.seed), round \(round): a changed token is handed on")
                return
            }
        }
        outcomes.expectVariety(rounds: Self.rounds)
    }

    private static func saysTheSame(_ left: AuthenticationToken, _ right: AuthenticationToken) -> Bool {
        left.userID == right.userID && left.requestor == right.requestor && left.domain == right.domain
            && left.mvpd == right.mvpd && left.expires == right.expires && left.fingerprint == right.fingerprint
            && left.authorizedResources == right.authorizedResources
    }
}
