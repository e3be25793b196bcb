internal import Glibc
internal import Synchronization

extension PrivateKeyring {
    /// Runs a program inside, with `input` on its standard input, and waits for its end.
    package func run(_ executable: String, _ arguments: [String], input: String = "") throws -> ProcessResult {
        let number = processes.withLock { processes in
            processes.runs += 1
            return processes.runs
        }
        let base = "\(directory)/run-\(number)"
        try Files.write(input, to: "\(base).in")
        let inputFile = try Files.open("\(base).in", O_RDONLY)
        defer { close(inputFile) }
        let outputFile = try Files.open("\(base).out", O_WRONLY | O_CREAT)
        defer { close(outputFile) }
        let errorFile = try Files.open("\(base).err", O_WRONLY | O_CREAT)
        defer { close(errorFile) }
        let child = try ChildProcess(
            [executable] + arguments,
            environment: environment,
            group: guardian.group,
            streams: .init(input: inputFile, output: outputFile, error: errorFile)
        )
        let status = child.wait()
        return ProcessResult(
            status: status,
            standardOutput: try Files.read("\(base).out"),
            standardError: try Files.read("\(base).err")
        )
    }

    /// Starts a program inside and returns at once; it is killed at the latest by ``shutdown()``.
    ///
    /// What it writes to its standard output goes to `output`, a file descriptor of the caller's; else nowhere. Its
    /// standard input is `input`, if there is one.
    package func start(
        _ executable: String,
        _ arguments: [String],
        input: Int32? = nil,
        output: Int32? = nil
    ) throws -> ChildProcess {
        let child = try ChildProcess(
            [executable] + arguments,
            environment: environment,
            group: guardian.group,
            streams: .init(input: input, output: output)
        )
        processes.withLock { $0.others.append(child) }
        return child
    }
}
