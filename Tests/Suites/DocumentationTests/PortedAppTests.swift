import Foundation
import TestSupport
import Testing

/// An app in the style of Firebase apps for iOS: screens on the main actor, completion handlers, `NSError`. Only its
/// imports are specific to Linux.
struct PortedAppTests {
    @Test(
        "The screens compile in Swift 5 and 6, with either default actor isolation",
        .timeLimit(.minutes(5))
    )
    func screens() async throws {
        let compiler = try SwiftCompiler()
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Ported").path
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).map { "\(folder)/\($0)" }
        #expect(files.count == 3)
        var jobs: [SwiftCompiler.Job] = []
        for version in ["5", "6"] {
            for isolation in ["nonisolated", "MainActor"] {
                jobs.append(
                    SwiftCompiler.Job(
                        name: "ported-\(version)-\(isolation)",
                        paths: files,
                        options: [
                            "-swift-version", version, "-default-isolation", isolation, "-parse-as-library",
                            "-module-name", "Ported",
                        ]
                    )
                )
            }
        }
        for (name, log) in try await compiler.check(jobs) { #expect(log.isEmpty, "\(name): \(log)") }
    }

    @Test("One conformance gives an NSError the userInfo that Firebase's errors have", .timeLimit(.minutes(5)))
    func userInfo() async throws {
        let compiler = try SwiftCompiler()
        let program = try compiler.write(
            """
            import Foundation
            import SharedAuth

            extension AuthError: @retroactive CustomNSError {}

            func refuse() throws {
                let credential = OAuthCredential(providerID: "github.com", idToken: "t")
                throw AuthError(.credentialAlreadyInUse, "In use.", details: .credential(email: "a@b.example", credential))
            }

            do {
                try refuse()
            } catch {
                let error = error as NSError
                print(error.domain, error.code, AuthErrorCode(rawValue: error.code) == .credentialAlreadyInUse)
                print(error.userInfo[AuthErrorUserInfoNameKey] as? String ?? "no name")
                print(error.userInfo[AuthErrorUserInfoEmailKey] as? String ?? "no address")
                print((error.userInfo[AuthErrorUserInfoUpdatedCredentialKey] as? AuthCredential)?.provider ?? "none")
                print(error.localizedDescription)
            }
            """,
            to: "UserInfo/main.swift"
        )
        let result = try await compiler.run("UserInfo", [program])
        #expect(
            result.standardOutput == """
                FIRAuthErrorDomain 17025 true
                ERROR_CREDENTIAL_ALREADY_IN_USE
                a@b.example
                github.com
                In use.

                """,
            "\(result.standardError)"
        )
    }
}
