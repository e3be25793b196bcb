import Dispatch
import Glibc
import SecretService
import TestSupport
import Testing

extension PrivateKeyring {
    /// A service of its own connection on the private bus.
    func makeService(
        timeout: Duration = .seconds(10),
        hasDisplay: Bool = true,
        waitsForDaemon: Bool = false,
        interceptor: CallInterceptor? = nil
    ) -> SecretService {
        var configuration = SecretService.Configuration(busAddress: .address(busAddress), timeout: timeout)
        configuration.interceptor = interceptor
        configuration.hasDisplay = hasDisplay
        configuration.waitsForDaemon = waitsForDaemon
        return SecretService(configuration)
    }
}

extension SecretService {
    /// Stores an item in the default collection.
    @discardableResult
    func store(_ secret: String, as name: String, replacing: Bool = true) throws -> SecretItem {
        try defaultCollection().createItem(
            label: "A test's item",
            attributes: ["test": name],
            secret: Secret(secret),
            replacing: replacing
        )
    }
}

/// The error that `body` throws.
func failure(
    _ sourceLocation: SourceLocation = #_sourceLocation,
    of body: () throws -> Void
) throws -> SecretServiceError {
    do {
        try body()
    } catch let error as SecretServiceError {
        return error
    }
    return try #require(nil as SecretServiceError?, "nothing was thrown", sourceLocation: sourceLocation)
}

/// The code of the error that `body` throws.
func code(
    _ sourceLocation: SourceLocation = #_sourceLocation,
    of body: () throws -> Void
) throws -> SecretServiceError.Code {
    try failure(sourceLocation, of: body).code
}

/// Runs `body` on a thread of its own and records what it returns.
func inBackground<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Recorder<Result> {
    let recorder = Recorder<Result>()
    DispatchQueue.global().async { recorder.record(body()) }
    return recorder
}

/// A pipe for the output of a helper process.
final class Output: Sendable {
    let reading: Int32
    let writing: Int32

    init() throws {
        let ends = try SocketPair()
        (reading, writing) = (ends.ours, ends.theirs)
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// The next line, without its end.
    func readLine() -> String {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while unsafe read(reading, &byte, 1) == 1, byte != 10 {
            line.append(byte)
        }
        return String(decoding: line, as: UTF8.self)
    }
}
