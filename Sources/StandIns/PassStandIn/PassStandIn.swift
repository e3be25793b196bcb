internal import ArgumentParser
internal import Glibc
internal import PassStandInServer

/// A stand-in for the servers of TV sign-in, reachable only from this machine.
@main
struct PassStandIn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "PassStandIn",
        abstract: "Run a local substitute for the servers of TV sign-in, for tests and samples.",
        discussion: """
            It implements a model made from the public documentation of Adobe Pass, and is reachable only from this \
            machine. It has invented TV providers, each with a login page; its first page lists them. All state is \
            lost when it ends.

            The first line of the output is its address. The second is a software statement to register with.

            Examples:
              PassStandIn --port 9100
              PassStandIn --port 0 --statement my-statement --throttle
              PassStandIn --port 9100 --events
            """
    )

    @Option(help: ArgumentHelp("The port; with 0, the system chooses one.", valueName: "number"))
    var port = 0

    @Option(help: ArgumentHelp("A software statement to accept; may be repeated.", valueName: "text"))
    var statement: [String] = []

    @Flag(help: "Limit each device to one call per second, with bursts of ten.")
    var throttle = false

    @Flag(help: "Then print each event as a line of JSON, without tokens and user names.")
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
        say(try statement.first ?? standIn.newStatement(for: "app"))
        // Runs until a signal ends the program.
        for await event in happened { say(event.line) }
    }

    /// Prints a line and flushes it, for a program that reads a pipe.
    private func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
