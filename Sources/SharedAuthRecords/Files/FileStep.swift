internal import Glibc

/// One thing that a store does to its directory, where its process may die and the disk may fail.
package enum FileStep: String, Sendable, CaseIterable {
    /// Makes a temporary file.
    case create
    /// Writes to it.
    case write
    /// Brings it to the disk.
    case sync
    /// Gives a second name to what is to be set aside.
    case link
    /// Puts one file in the place of another, or moves one aside.
    case rename
    /// Removes a file.
    case unlink
    /// Brings the names in the directory to the disk.
    case syncDirectory
}

/// Intercepts each step of a store on its files, for tests and for `--verbose`; it may change the result of a step.
package struct FileStepInterceptor: Sendable {
    /// Carries the step out; the result is 0, or the number of the error.
    package typealias Proceed = () -> Int32

    let body: @Sendable (FileStep, Proceed) -> Int32

    /// Runs `body` on the calling thread for every step; the number it returns is what the step ends with.
    package init(_ body: @escaping @Sendable (FileStep, _ proceed: Proceed) -> Int32) {
        self.body = body
    }

    /// Lets every step be.
    package static let none = FileStepInterceptor { _, proceed in proceed() }

    /// The same, but nothing is put in the place of a file once `mayChange` is false.
    package func asking(_ mayChange: @escaping @Sendable () -> Bool) -> FileStepInterceptor {
        FileStepInterceptor { [body] step, proceed in
            step == .rename && !mayChange() ? ECANCELED : body(step, proceed)
        }
    }

    /// Carries a step out, again as often as a signal comes in between.
    @discardableResult
    func perform(_ step: FileStep, _ call: () -> Int32) throws(SystemError) -> Int32 {
        var result: Int32 = -1
        let number = body(step) {
            repeat { result = call() } while result < 0 && errno == EINTR
            return result < 0 ? errno : 0
        }
        guard number == 0, result >= 0 else { throw SystemError(number: number) }
        return result
    }
}
