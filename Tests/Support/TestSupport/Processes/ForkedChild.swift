internal import CTestSupport
internal import Glibc

/// A process that a fork without exec has made: it shares the open files of its parent, and does nothing. It ends with
/// this object, or after ten minutes.
package final class ForkedChild: Sendable {
    package let processID: Int32

    private init(_ processID: Int32) { self.processID = processID }

    /// Forks a child of this process.
    package convenience init() throws {
        let processID = csupport_fork()
        guard processID > 0 else { throw PrivateKeyringError("no fork: error \(errno)") }
        self.init(processID)
    }

    /// Runs a function in a child of this process.
    ///
    /// - Returns: The function's result; nil if the child has not ended by itself.
    package static func result(of function: @convention(c) () -> Int32) -> Int32? {
        let result = csupport_run_forked(function)
        return result < 0 ? nil : result
    }

    /// Starts a process that locks a file, forks a child and ends. The child has the lock then.
    ///
    /// - Returns: The child, and the process ID of the one that has ended.
    package static func inheritingLock(on path: String) throws -> (child: ForkedChild, parent: Int32) {
        var parent: Int32 = 0
        let processID = unsafe csupport_fork_heir(path, &parent)
        guard processID > 0 else { throw PrivateKeyringError("no fork: error \(errno)") }
        return (ForkedChild(processID), parent)
    }

    deinit {
        kill(processID, SIGKILL)
        waitpid(processID, nil, 0)
    }
}
