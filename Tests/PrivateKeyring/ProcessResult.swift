/// How a process ended and what it said.
public struct ProcessResult: Sendable {
    /// The exit status; 128 and the signal's number if a signal ended it.
    public let status: Int32
    /// What it wrote to its standard output.
    public let standardOutput: String
    /// What it wrote to its standard error.
    public let standardError: String
}
