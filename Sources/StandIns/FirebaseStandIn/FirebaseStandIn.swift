internal import ArgumentParser
internal import Dispatch
internal import FirebaseStandInServer
internal import Glibc
internal import LoopbackServer

/// The program that runs the stand-in for Firebase Authentication.
@main
struct FirebaseStandIn: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run a local substitute for Firebase Authentication, for tests and samples.",
        discussion: """
            It is part of SharedAuth and not from Google. It listens only on 127.0.0.1 and ::1, keeps its state in \
            memory, and prints its address as the first line. Connect an app with FIREBASE_AUTH_EMULATOR_HOST and \
            useEmulator(). E-mails are not sent; their links are listed at /stand-in/codes. It stops at Control-C, or \
            if standard input is a pipe, when the pipe closes.
            """
    )

    @Option(help: "The port; with 0, the system chooses one.")
    var port = 9099

    @Option(help: "The id of the project.")
    var project = "stand-in"

    @Flag(inversion: .prefixedNo, help: "Hide which addresses have accounts.")
    var protectAddresses = true

    @Option(help: ArgumentHelp("The lifetime of ID tokens.", valueName: "seconds"))
    var tokenLifetime = 3600

    @Option(help: ArgumentHelp("The maximum age of a sign-in for sensitive changes.", valueName: "seconds"))
    var recentSignIn = 300

    @Option(help: ArgumentHelp("The lifetime of the codes in e-mails.", valueName: "seconds"))
    var codeLifetime = 3600

    @Flag(inversion: .prefixedNo, help: "Accept each refresh token only once.")
    var rotateTokens = true

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be a number from 0 to 65535.") }
        guard tokenLifetime > 0 else { throw ValidationError("--token-lifetime must be at least 1.") }
        guard settings.isPossible else {
            throw ValidationError("--token-lifetime, --recent-sign-in and --code-lifetime must be at most 100 years.")
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
        Self.say("A stand-in for Firebase Authentication, for tests and samples. Not Google's. Project: \(project).")
        Self.say("To connect an app: FIREBASE_AUTH_EMULATOR_HOST=127.0.0.1:\(standIn.port) and useEmulator().")
        Self.say("E-mails and their links: \(standIn.address)/stand-in/codes")
        Self.endWithStandardInput()
        withExtendedLifetime(standIn) { dispatchMain() }
    }

    /// Writes a line without buffering, because the reader of a pipe waits for it.
    private static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = unsafe write(STDOUT_FILENO, bytes, bytes.count)
    }

    /// Exits when standard input, if it is a pipe or socket, is closed. The stand-in thus ends with the program that
    /// started it, even if that crashes.
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
