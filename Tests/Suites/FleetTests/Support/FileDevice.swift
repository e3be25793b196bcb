import EncryptedFiles
import Foundation
import Glibc
import SharedAuth
import SharedAuthRecords
import TestSupport

@testable import SharedAuthFleet

/// A device whose processes share a local store of encrypted files.
final class FileDevice: Sendable {
    let directory: String
    let fleet: Fleet

    init() throws {
        directory = TestDirectory.newPath()
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data(randomBytes(32)).write(to: URL(filePath: "\(directory)/key"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(directory)/key")
        fleet = Fleet(local: Self.local(directory))
    }

    private static func local(_ directory: String) -> EncryptedFileRecordStore {
        EncryptedFileRecordStore(directory: "\(directory)/store", key: .keyFile("\(directory)/key"))
    }

    /// A store of this process on the device.
    func store() -> FleetRecordStore { FleetRecordStore(local: Self.local(directory)) }

    /// Makes the device's processes connect to a server in another directory.
    func connect(through directory: String) throws {
        try LocalRecords(Self.local(self.directory)).updateDevice(by: .patient) { stored in
            var device = stored
            device?.address.host = directory
            return device
        }
    }

    /// Starts a process of the device.
    func start(_ words: String...) throws -> FleetProcess { try FleetProcess([directory] + words) }

    /// Makes some devices of a new person.
    static func fleet(of count: Int, for person: PostgresFleet) throws -> [FileDevice] {
        let devices = try (0..<count).map { _ in try FileDevice() }
        try devices[0].fleet.begin(at: person.address, deviceName: "device 0", by: .patient)
        for (number, device) in devices.enumerated().dropFirst() {
            try devices[0].fleet.enrol(device.fleet, named: "device \(number)", at: person.address)
        }
        return devices
    }
}

/// A `FleetPeer`, or a tool that waits. It does not outlive the test.
final class FleetProcess {
    private let process: ChildProcess
    /// The process's standard input and output.
    private let stream: LocalSocket

    /// The id of the process.
    var id: Int32 { process.processID }

    convenience init(
        _ arguments: [String],
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        try self.init(of: [try BuiltProducts.executable("FleetPeer")] + arguments, environment: environment)
    }

    init(of command: [String], environment: [String: String]) throws {
        let pair = try SocketPair()
        stream = LocalSocket(file: pair.ours)
        defer { close(pair.theirs) }
        process = try ChildProcess(
            command,
            environment: environment,
            group: 0,
            streams: .init(input: pair.theirs, output: pair.theirs, error: STDERR_FILENO)
        )
    }

    deinit {
        process.end()
        close(stream.file)
    }

    /// Returns the next line that the process prints; nil when it has ended.
    func line() -> String? {
        let line = nextLine(from: stream.file)
        return line.isEmpty ? nil : line
    }

    func send(_ line: String) { stream.write(Array("\(line)\n".utf8)) }

    func signal(_ number: Int32) { process.signal(number) }

    /// Suspends the process, and returns when it has stopped.
    func stop() { process.stop() }

    /// Waits until the process ends, and returns its status.
    func wait() -> Int32 { process.wait() }

    /// Kills the process, and returns when it is gone.
    func end() { process.end() }

    /// Kills the process when called, on any thread, and returns when it is gone.
    var killing: @Sendable () -> Void { { [process] in process.end() } }
}
