internal import PeerLines

/// One app's process, for tests: it obeys the commands on its standard input, one per line, and answers each with one line
/// of JSON. What it is told by listeners is lines too.
@main
struct Peer {
    static func main() async {
        guard let arguments = Arguments(CommandLine.arguments) else {
            print(Arguments.usage)
            return
        }
        do throws(PeerFailure) {
            try await Session(arguments).run()
        } catch {
            LineOutput.write(error.line(answering: "start"))
        }
    }
}
