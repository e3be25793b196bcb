internal import Glibc
internal import ScriptedDaemon
internal import SecretService
internal import TestSupport

/// The background programs that tests start, watch, stop and kill. The first argument selects one.
@main
struct TestDaemon {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst(2))
        switch CommandLine.arguments.dropFirst().first {
        case "hold-name" where arguments.count == 1: try holdName(arguments[0])
        case "fork-holding-name" where arguments.count == 1: try holdName(arguments[0], forking: true)
        case "hold-keyring" where arguments.isEmpty: try holdKeyring()
        case "scripted-daemon": exit(serve(arguments))
        default:
            print("usage: TestDaemon (hold-name | fork-holding-name) NAME | hold-keyring | scripted-daemon [WORD]...")
        }
    }

    /// Owns a bus name, prints it, and keeps it until the process is killed. With `forking`, it forks a child, and prints
    /// its process ID, too.
    private static func holdName(_ name: String, forking: Bool = false) throws {
        let owned = try SecretService().acquireName(name)
        let child = forking ? try ForkedChild() : nil
        LineOutput.write(owned.name)
        if let child { LineOutput.write("\(child.processID)") }
        while true { pause() }
    }

    /// Starts a private keyring whose daemon hangs, prints its bus address, and keeps it until the process is killed.
    private static func holdKeyring() throws {
        let keyring = try PrivateKeyring()
        keyring.stopDaemon()
        LineOutput.write(keyring.busAddress)
        while true { pause() }
    }

    /// Runs a keyring daemon that behaves as the words say; `daemon.c` explains them.
    private static func serve(_ words: [String]) -> Int32 {
        var copies = unsafe words.map { unsafe UnsafePointer(strdup($0)) }
        unsafe copies.append(nil)
        return unsafe scripted_daemon_run(copies)
    }
}
