internal import ArgumentParser
internal import Glibc
internal import PassStandInServer

/// Stands in for the servers of TV sign-in, on this machine alone.
@main
struct PassStandIn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "PassStandIn",
        abstract: "Stand in for the servers of TV sign-in, for tests and samples, on this machine alone.",
        discussion: """
            It speaks an independent model of the public documentation of Adobe Pass, and has TV providers of its own, each with \
            a login page. It forgets everything when it ends. Its first page says who its TV providers are.

            The first line of the output is its address, and the second a software statement to register with.

            Examples:
              PassStandIn --port 9100
              PassStandIn --port 0 --statement my-statement --throttle
              PassStandIn --port 9100 --events
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
        // The address is printed before the first event.
        let (happened, happening) = AsyncStream.makeStream(of: StandInEvent.self)
        let printsEvents = events
        let standIn = try StandIn(
            port: port,
            statements: Set(statement),
            throttle: throttle ? Throttle() : nil,
            report: { if printsEvents { happening.yield($0) } }
        )
        say(standIn.address)
        say(statement.first ?? standIn.newStatement(for: "app"))
        // Runs until a signal ends the program.
        for await event in happened { say(event.line) }
    }

    /// Prints a line and flushes it, for a program that reads a pipe.
    private func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
