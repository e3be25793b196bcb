internal import ArgumentParser
internal import Dispatch
internal import FirebaseStandInServer
internal import Glibc
internal import LoopbackServer

/// The stand-in as a program.
@main
struct FirebaseStandIn: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Stands in for Firebase Authentication on this machine, for tests and samples.",
        discussion: """
            It is SharedAuth's, not Google's. It listens at 127.0.0.1 and ::1 alone, keeps everything in memory, and prints its \
            address as the first line. Point an app to it by FIREBASE_AUTH_EMULATOR_HOST and useEmulator(). Mails are not sent: \
            their links stand at /stand-in/codes. It ends with its standard input when that is a pipe, or by Control-C.
            """
    )

    @Option(help: "The port; 0 has the system choose one.")
    var port = 9099

    @Option(help: "The id of the project.")
    var project = "stand-in"

    @Flag(inversion: .prefixedNo, help: "Whether the project keeps to itself which addresses have accounts.")
    var protectAddresses = true

    @Option(help: ArgumentHelp("How long ID tokens last.", valueName: "seconds"))
    var tokenLifetime = 3600

    @Option(help: ArgumentHelp("How recent a sign-in has to be for changes that matter.", valueName: "seconds"))
    var recentSignIn = 300

    @Option(help: ArgumentHelp("How long the codes of mails last.", valueName: "seconds"))
    var codeLifetime = 3600

    @Flag(inversion: .prefixedNo, help: "Whether a refresh token is good once.")
    var rotateTokens = true

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port is a number from 0 to 65535.") }
        guard tokenLifetime > 0 else { throw ValidationError("--token-lifetime is at least 1.") }
        guard settings.isPossible else {
            throw ValidationError("--token-lifetime, --recent-sign-in and --code-lifetime are a hundred years at most.")
        }
    }

    private var settings: StandInSettings {
        var settings = StandInSettings()
        settings.protectsAddresses = protectAddresses
        settings.idTokenSeconds = tokenLifetime
        settings.recentSignInSeconds = recentSignIn
        settings.codeSeconds = codeLifetime
        settings.rotatesRefreshTokens = rotateTokens
        return settings
    }

    func run() throws {
        let standIn: StandIn
        do {
            standIn = try StandIn(project: project, port: port, settings: settings)
        } catch {
            throw ValidationError(error.description)
        }
        Self.say(standIn.address)
        Self.say("A stand-in for Firebase Authentication, for tests and samples: not Google's. Project: \(project).")
        Self.say("An app's way to it: FIREBASE_AUTH_EMULATOR_HOST=127.0.0.1:\(standIn.port) and useEmulator().")
        Self.say("Mails and their links: \(standIn.address)/stand-in/codes")
        Self.endWithStandardInput()
        withExtendedLifetime(standIn) { dispatchMain() }
    }

    /// Writes a line at once, for a reader of a pipe waits for it.
    private static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = unsafe write(STDOUT_FILENO, bytes, bytes.count)
    }

    /// A program that was started by another ends with it, however that ends.
    private static func endWithStandardInput() {
        var status = stat()
        guard unsafe fstat(STDIN_FILENO, &status) == 0,
            status.st_mode & S_IFMT == S_IFIFO || status.st_mode & S_IFMT == S_IFSOCK
        else { return }
        DispatchQueue(label: "standard-input").async {
            while readLine() != nil {}
            Glibc.exit(EXIT_SUCCESS)
        }
    }
}
