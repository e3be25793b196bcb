internal import Glibc

/// Makes sure that nothing of the fixture outlives it, even if the test process is killed with SIGKILL.
///
/// Two shells: the first leads the process group of all children and kills the group when the pipe to the test process
/// closes, for any reason. The second detects its death in the same way, and then removes the directory. They ignore
/// SIGHUP, which the kernel sends to a group with a stopped member when the test process dies.
final class Guardian: Sendable {
    private let leader: ChildProcess
    private let sweeper: ChildProcess
    private let lifeline: Int32

    /// The process group for the children.
    var group: Int32 { leader.processID }

    init(directory: String) throws {
        let life = try SocketPair()
        let death = try SocketPair()
        let environment = ["PATH": "/usr/bin:/bin"]
        leader = try ChildProcess(
            ["/bin/sh", "-c", "trap '' HUP; read -r _; kill -9 0"],
            environment: environment,
            group: 0,
            streams: .init(input: life.theirs, output: death.theirs)
        )
        sweeper = try ChildProcess(
            ["/bin/sh", "-c", "trap '' HUP; read -r _; rm -rf -- \"$0\"", directory],
            environment: environment,
            group: 0,
            streams: .init(input: death.ours)
        )
        lifeline = life.ours
        close(life.theirs)
        close(death.ours)
        close(death.theirs)
    }

    /// Kills the group, removes the directory, and returns when both are done.
    func end() {
        close(lifeline)
        leader.wait()
        sweeper.wait()
    }
}
