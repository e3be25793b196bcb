internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
internal import LoopbackServer
internal import SharedAuthHTTP

/// Stands in for the servers of TV sign-in, on this machine alone.
@main
struct PassServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "PassServer",
        abstract: "Stand in for the servers of TV sign-in, for tests and samples, on this machine alone.",
        discussion: """
            It speaks an independent model of the public documentation of Adobe Pass, and has TV providers of its own, each with \
            a login page. It forgets everything when it ends. Its first page says who its TV providers are.

            The first line of the output is its address, and the second a software statement to register with.

            Examples:
              PassServer --port 9100
              PassServer --port 0 --statement my-statement --throttle
              PassServer --port 9100 --events
            """
    )

    @Option(help: ArgumentHelp("The port; 0 has the system choose one.", valueName: "number"))
    var port = 0

    @Option(help: ArgumentHelp("A software statement to accept; may be repeated.", valueName: "text"))
    var statement: [String] = []

    @Flag(help: "Keep devices from calling more than once a second, and ten times at once.")
    var throttle = false

    @Flag(help: "Print what happens after that, each a line of JSON, without a token or a person's name.")
    var events = false

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("Give a port from 0 to 65535.") }
    }

    func run() async throws {
        let statements = SoftwareStatements(agreed: Set(statement))
        let state = ServerState(keys: try ServerKeys(), statements: statements, throttle: throttle ? Throttle() : nil)
        // What the address is comes first.
        let (happened, happening) = AsyncStream.makeStream(of: EventJournal.Event.self)
        let printsEvents = events
        let service = PassService(state, report: { if printsEvents { happening.yield($0) } })
        let server = try LoopbackServer(named: "PassServer", port: port) { await service.answer($0) }
        say(server.address)
        say(statement.first ?? statements.statement(for: "app", lifetime: nil, now: Date()))
        // It is here until somebody ends it.
        for await event in happened { say(event.json.text) }
    }

    /// Says a line at once, also to a program.
    private func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
