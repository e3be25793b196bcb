internal import TestSupport

/// One app's process, for tests: it obeys the commands on its standard input, one per line, and answers each with one
/// line that begins with the command's verb. Lines that begin with `!` are what it heard.
@main
struct PassPeer {
    static func main() async throws {
        guard let arguments = Arguments(CommandLine.arguments) else {
            print(Arguments.usage)
            return
        }
        let app = try PeerApp(arguments)
        while let line = readLine(), line != "quit" {
            let words = line.split(separator: " ").map(String.init)
            guard let verb = words.first else { continue }
            let answer = app.obey(verb, Array(words.dropFirst()))
            LineOutput.write("\(verb) \(answer)")
        }
    }
}
