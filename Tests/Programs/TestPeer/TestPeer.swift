internal import Dispatch
internal import Glibc
internal import SharedAuth
internal import TestSupport

/// One app's process for tests. It carries out the commands on its standard input, one per line, and responds to each
/// with one line of JSON. It also writes a line for each call of a listener.
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

/// The arguments of a peer.
struct Arguments {
    static let usage = """
        usage: TestPeer APP-ID PROJECT BUS-ADDRESS STATE-DIRECTORY LOCKING [--no-observing] [--deadline MILLISECONDS]
                        [--kill-at CALL | --stop-at CALL] [--before | --after] [--file-store DIRECTORY KEY-FILE]
                        [--firebase PORT] [--issuer NAME] [--used DIRECTORY] [--access-group NAME]
                        [--recording]
        LOCKING is automatic, bus-name or file:DIRECTORY; CALL a number, counted from 1, or a method's name; with
        --file-store, a step's; PORT is that of a stand-in for Firebase, where users then sign in; --used names a
        directory in which processes of one issuer note the refresh tokens that were used; --recording remembers the
        updates of slots for the command history.
        """

    let appID: String
    let project: String
    let busAddress: String
    let stateDirectory: String
    let locking: CrossProcessLocking
    var observes = true
    var records = false
    /// Long, unless a test is about the time limit: a machine may be busy.
    var timeout = Duration.seconds(60)
    var trap: Trap?
    var files: (directory: String, keyFile: String)?
    var firebasePort: Int?
    var issuer: String?
    var used: String?
    var accessGroup: String?

    init?(_ words: [String]) {
        guard words.count >= 6 else { return nil }
        (appID, project, busAddress, stateDirectory) = (words[1], words[2], words[3], words[4])
        switch words[5] {
        case "automatic": locking = .automatic
        case "bus-name": locking = .busName
        case let text where text.hasPrefix("file:"): locking = .file(directory: String(text.dropFirst(5)))
        default: return nil
        }
        var rest = words.dropFirst(6)
        var act: Trap.Act?
        var call: Trap.Call?
        var isAfter = false
        while let word = rest.popFirst() {
            switch word {
            case "--no-observing": observes = false
            case "--recording": records = true
            case "--before": isAfter = false
            case "--after": isAfter = true
            case "--deadline":
                guard let milliseconds = rest.popFirst().flatMap(Int.init) else { return nil }
                timeout = .milliseconds(milliseconds)
            case "--kill-at", "--stop-at":
                guard let text = rest.popFirst() else { return nil }
                (act, call) = (word == "--kill-at" ? .kill : .stop, Trap.Call(text))
            case "--file-store":
                guard let directory = rest.popFirst(), let keyFile = rest.popFirst() else { return nil }
                files = (directory, keyFile)
            case "--firebase":
                guard let port = rest.popFirst().flatMap(Int.init) else { return nil }
                firebasePort = port
            case "--issuer":
                guard let name = rest.popFirst() else { return nil }
                issuer = name
            case "--used":
                guard let directory = rest.popFirst() else { return nil }
                used = directory
            case "--access-group":
                guard let name = rest.popFirst() else { return nil }
                accessGroup = name
            default: return nil
            }
        }
        if let act, let call { trap = Trap(act: act, call: call, isAfter: isAfter) }
    }
}
