import TestSupport

/// A program that starts, does one thing and ends.
struct ColdStart {
    let command: [String]
    let keyring: PrivateKeyring

    func work(_ title: String) -> Work {
        Work(title) { count in
            try (0..<count).map { _ in
                let start = Stopwatch.now
                let status = try keyring.start(command[0], Array(command.dropFirst())).wait()
                guard status == 0 else { throw Failure("\(command.joined(separator: " ")) ended with \(status)") }
                return Double(Stopwatch.now - start) / 1000
            }
        }
    }
}
