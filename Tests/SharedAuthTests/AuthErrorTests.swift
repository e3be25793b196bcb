import FoundationEssentials
import Testing

@testable import SharedAuth

struct AuthErrorTests {
    @Test("The remedy is said once, by the description and by LocalizedError")
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

    @Test("A code is made of a number only if there is one, and every code there is can be made, with its name")
    func codes() throws {
        let source = try String(
            contentsOfFile: "\(#filePath.replacing("Tests/SharedAuthTests/AuthErrorTests.swift", with: ""))"
                + "Sources/SharedAuth/Errors/AuthErrorCode.swift",
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
}
