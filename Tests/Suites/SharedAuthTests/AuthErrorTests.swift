import FoundationEssentials
import TestSupport
import Testing

@testable import SecretService
@testable import SharedAuth

struct AuthErrorTests {
    @Test("The remedy is given once, by the description and by LocalizedError")
    func remedy() throws {
        let below = RecordStoreError(.locked, "The keyring is locked.", remedy: "Open it.")
        for (error, remedy) in [
            (AuthError(below, in: .own), "Open it."),
            (AuthError(RecordStoreError(.locked, "The keyring is locked."), in: .own), try #require(below.usualRemedy)),
        ] {
            #expect(error.message.hasSuffix("The keyring is locked."))
            #expect(error.remedy == remedy)
            #expect(error.description == "\(error.message) \(remedy) (19001)")
            let localized: any LocalizedError = error
            #expect(localized.errorDescription == error.message)
            #expect(localized.recoverySuggestion == remedy)
        }
        #expect(AuthError(.nullUser, "No user.").description == "No user. (17067)")
    }

    @Test("Every keyring failure gives its advice once, in each slot")
    func adviceOnce() {
        let codes: [SecretServiceError.Code] = [
            .noSessionBus, .busClosed, .noDaemon, .noDefaultCollection, .noSuchCollection, .noSuchItem, .locked,
            .dismissed,
            .timedOut, .denied, .invalidArgument, .protocolViolation,
        ]
        let failures = codes.flatMap { code in
            [false, true].map { isUnknown in
                SecretServiceError(code, in: "SearchItems on /org/freedesktop/secrets", outcomeIsUnknown: isUnknown)
            }
        }
        for failure in failures + [.timedOut(doing: "it waited"), .muteBus(during: "Hello")] {
            for slot in [Slot.own, .group("group.com.example.office")] {
                let text = AuthError(RecordStoreError(failure), in: slot).text
                let beginnings = text.split(separator: #/[.:;] /#).map {
                    $0.split(separator: " ").prefix(2).joined(separator: " ")
                }
                #expect(Set(beginnings).count == beginnings.count, "\(text)")
                if failure.code == .timedOut, failure.circumstance == nil {
                    #expect(text.contains("The keyring does not answer") && !text.contains("/org/"), "\(text)")
                }
            }
        }
    }

    @Test("Error details return the value they were made of, and no other")
    func details() {
        let credential = OAuthCredential(providerID: "example.org", idToken: "id")
        let all: [AuthErrorDetails] = [
            .credential(email: "ada@example.com", credential), .reasons(["Too short."]),
            .blockingFunction(BlockingFunctionRefusal(message: "No.")),
            .tokens(UserTokens(idToken: "id", refreshToken: nil, expirationDate: .distantFuture)),
        ]
        #expect(all.map { $0.email } == ["ada@example.com", nil, nil, nil])
        #expect(all.map { $0.credential?.idToken } == ["id", nil, nil, nil])
        #expect(all.map { $0.reasons } == [nil, ["Too short."], nil, nil])
        #expect(all.map { $0.blockingFunction?.message } == [nil, nil, "No.", nil])
        #expect(all.map { $0.tokens?.idToken } == [nil, nil, nil, "id"])
        #expect(all.allSatisfy { $0.secondFactor == nil })
    }

    @Test("A change of a profile's field keeps, clears or sets its value")
    func profileChange() {
        let change = UserProfileChange()
        #expect(change.displayName.applied(to: "Ada") == "Ada" && change.displayName.applied(to: nil) == nil)
        let rows: [(field: UserProfileChange.Field<String>, name: String?)] = [
            (.clear, nil), (.init(nil), nil), (.set("Grace"), "Grace"), (.init("Grace"), "Grace"),
        ]
        for (field, name) in rows {
            #expect(field.applied(to: "Ada") == name && field.applied(to: nil) == name)
        }
    }

    @Test("Only declared numbers make an error code, and each code has its name")
    func codes() throws {
        let source = try String(
            contentsOf: Checkout.root.appending(path: "Sources/Auth/SharedAuth/Errors/AuthErrorCode.swift"),
            encoding: .utf8
        )
        let constants = source.matches(of: /static let (\w+) = AuthErrorCode\(\.(\w+)\)/)
        #expect(constants.allSatisfy { $0.1 == $0.2 })
        let declarations = source.matches(of: /case (\w+) = (\d+)/)
        #expect(constants.map { $0.1 } == declarations.map { $0.1 })
        let declared = declarations.compactMap { Int($0.2) }
        #expect(declared.count >= 57)
        let made = (16_000..<21_000).filter { AuthErrorCode(rawValue: $0) != nil }
        #expect(made == declared.sorted())
        for declaration in declarations {
            #expect(Int(declaration.2).flatMap(AuthErrorCode.init(rawValue:))?.name == String(declaration.1))
        }
        #expect(AuthErrorCode(rawValue: 19018) == .issuerMismatch)
        #expect(AuthErrorCode(rawValue: 0) == nil)
    }

    @Test("A code is printed with its name")
    func printedCode() {
        #expect("\(AuthErrorCode.outcomeUnknown)" == "outcomeUnknown")
        #expect("\(AuthError(.keyringLocked, "It is locked.").code)" == "keyringLocked")
        #expect("\(RecordStoreKind.secretService)" == "secret-service")
    }
}
