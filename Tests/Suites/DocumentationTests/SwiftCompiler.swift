import Foundation
import Glibc
import TestSupport

/// The compiler and the modules that the tests were built with, and a private keyring for the compiled programs.
struct SwiftCompiler: Sendable {
    /// Files that are compiled together.
    struct Job: Sendable {
        /// The name of the job.
        let name: String
        /// The paths of the files.
        let paths: [String]
        /// Additional compiler options.
        var options = ["-swift-version", "6"]
    }

    /// The directory for source files and programs.
    let folder: String
    private let keyring: PrivateKeyring

    /// Starts a private bus, and a keyring in the given state if programs are to be run.
    init(state: PrivateKeyring.State = .noDaemon) throws {
        keyring = try PrivateKeyring(state: state)
        folder = TestDirectory.newPath()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    /// Writes a file. Creates its directory if necessary.
    func write(_ text: String, to name: String) throws -> String {
        let url = URL(filePath: folder).appending(path: name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: url, atomically: true, encoding: .utf8)
        return url.path
    }

    /// Type-checks files, two jobs at a time, and returns the compiler's output for each job.
    func check(_ jobs: [Job]) async throws -> [String: String] {
        for job in jobs {
            let words = (job.options + job.paths).map { "'\($0)'" }.joined(separator: " ")
            _ = try write(
                "\(try Self.flags)\nexec swiftc -frontend -typecheck $flags \(words) >'\(folder)/\(job.name).log' 2>&1",
                to: "\(job.name).job"
            )
        }
        _ = try await shell("ls '\(folder)'/*.job | xargs -P 2 -n 1 sh; rm -f '\(folder)'/*.job")
        return try Dictionary(
            uniqueKeysWithValues: jobs.map { job in
                (job.name, try String(contentsOfFile: "\(folder)/\(job.name).log", encoding: .utf8))
            }
        )
    }

    /// Builds a program with the modules and libraries of the sample Hello, and runs it in the private keyring.
    func run(_ name: String, _ paths: [String]) async throws -> ProcessResult {
        let objects = try String(
            contentsOfFile: BuiltProducts.executable("Hello.product/Objects.LinkFileList"),
            encoding: .utf8
        )
        let others = objects.split(separator: "\n").filter { !$0.contains("/Hello.build/") }
        let list = try write(others.joined(separator: "\n"), to: "\(name).objects")
        let built = try await shell(
            """
            \(try Self.flags)
            exec swiftc -swift-version 6 $flags \(paths.map { "'\($0)'" }.joined(separator: " ")) @'\(list)' \
                -module-name \(name) -lstdc++ $(pkg-config --libs libsecret-1) -o '\(folder)/\(name).program'
            """
        )
        guard built.status == 0 else { return built }
        return try await shell("exec '\(folder)/\(name).program'")
    }

    private static var flags: String {
        get throws {
            let products = try BuiltProducts.executable("Modules").dropLast("/Modules".count)
            return """
                flags="-I \(products)/Modules -module-cache-path \(products)/ModuleCache"
                sources='\(Checkout.root.path)/Sources'
                for map in "$sources/Keyring/CGLibSecret" "$sources/Fleet/CLibpq" \
                    '\(products)/CDesktopSupport.build' '\(products)/CSoup.build'; do
                    flags="$flags -Xcc -fmodule-map-file=$map/module.modulemap"
                done
                for include in $(pkg-config --cflags-only-I libsecret-1 libpq); do flags="$flags -Xcc $include"; done
                """
        }
    }

    private func shell(_ command: String) async throws -> ProcessResult {
        let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? ""
        return try keyring.run("env", ["PATH=\(path)", "sh", "-c", command])
    }
}
