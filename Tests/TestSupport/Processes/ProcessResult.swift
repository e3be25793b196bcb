/// How a process ended and what it said.
package struct ProcessResult: Sendable {
    /// The exit status; 128 and the signal's number if a signal ended it.
    package let status: Int32
    /// What it wrote to its standard output.
    package let standardOutput: String
    /// What it wrote to its standard error.
    package let standardError: String
}
