internal import Glibc

/// One step of a store's work on its directory, at which the process may die or the disk may fail.
package enum FileStep: String, Sendable, CaseIterable {
    /// Creates a temporary file.
    case create
    /// Writes to the temporary file.
    case write
    /// Syncs the temporary file to disk.
    case sync
    /// Creates a second link to a file that is set aside.
    case link
    /// Replaces a file with another, or moves a file aside.
    case rename
    /// Removes a file.
    case unlink
    /// Syncs the directory to disk.
    case syncDirectory
}

/// Intercepts each step of a store's work on its files, for tests and for `--verbose`. It may change the result of a
/// step.
package struct FileStepInterceptor: Sendable {
    /// Carries out the step. Returns 0 or the error number.
    package typealias Proceed = () -> Int32

    let body: @Sendable (FileStep, Proceed) -> Int32

    /// Calls `body` on the calling thread for every step; the number that it returns is the result of the step.
    package init(_ body: @escaping @Sendable (FileStep, _ proceed: Proceed) -> Int32) {
        self.body = body
    }

    /// Carries out every step unchanged.
    package static let none = FileStepInterceptor { _, proceed in proceed() }

    /// Returns an interceptor that also refuses to replace files once `mayChange` returns false.
    package func asking(_ mayChange: @escaping @Sendable () -> Bool) -> FileStepInterceptor {
        FileStepInterceptor { [body] step, proceed in
            step == .rename && !mayChange() ? ECANCELED : body(step, proceed)
        }
    }

    /// Carries out a step, retrying after signals.
    @discardableResult
    package func perform(_ step: FileStep, _ call: () -> Int32) throws(SystemError) -> Int32 {
        var result: Int32 = -1
        let number = body(step) {
            repeat { result = call() } while result < 0 && errno == EINTR
            return result < 0 ? errno : 0
        }
        guard number == 0, result >= 0 else { throw SystemError(number: number) }
        return result
    }
}
