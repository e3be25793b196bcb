import FoundationEssentials
import Glibc
import TestSupport
import Testing

@Suite("CSoup's declarations")
struct DeclarationTests {
    @Test("The functions are declared as in libsoup's header; a difference is detected")
    func same() async throws {
        let folder = "/" + "\(#filePath)".split(separator: "/").dropLast().joined(separator: "/")
        let right = try await compile(folder, "")
        #expect(right.status == 0, "\(right.standardError)")
        let wrong = try await compile(folder, "-DWRONG_DECLARATION")
        #expect(wrong.status != 0)
        #expect(wrong.standardError.contains("soup_session_abort is declared otherwise"))
    }

    /// Compiles with the compiler of the Swift toolchain.
    private func compile(_ folder: String, _ option: String) async throws -> ProcessResult {
        let command = """
            set -e
            flags="$(pkg-config --cflags libsoup-3.0) -I\(Checkout.root.path)/Sources/SignIn/CSoup/include"
            clang -fsyntax-only $flags \(option) '\(folder)/Declarations/declarations.c'
            """
        let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? ""
        return try PrivateKeyring(state: .noDaemon).run("env", ["PATH=\(path)", "sh", "-c", command])
    }
}
