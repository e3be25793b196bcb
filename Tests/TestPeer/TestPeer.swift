internal import Dispatch
internal import Glibc
internal import TestSupport

/// One app's process, for tests: it obeys the commands on its standard input, one per line, and answers each with one line
/// of JSON. What its listeners hear is lines too.
///
/// As `TestPeer deliveries …` it is a program whose listeners are called in one of several places.
@main
struct TestPeer {
    static func main() throws {
        if CommandLine.arguments.dropFirst().first == "deliveries" {
            try Deliveries.run(Array(CommandLine.arguments.dropFirst(2)))
            return
        }
        guard let arguments = Arguments(CommandLine.arguments) else {
            print(Arguments.usage)
            return
        }
        Task {
            do throws(PeerFailure) {
                try await Session(arguments).run()
            } catch {
                LineOutput.write(error.line(answering: "start"))
            }
            exit(0)
        }
        dispatchMain()
    }
}
