import Foundation
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
            let code = try devices[0].fleet.inviteDevice(by: .patient)
            try device.fleet.join(at: person.address, with: code, deviceName: "device \(number)", by: .patient)
        }
        return devices
    }
}

/// A `FleetPeer`. It does not outlive the test.
final class FleetProcess {
    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())
    private var buffer = Data()

    /// The id of the process.
    var id: Int32 { process.processIdentifier }

    init(_ arguments: [String], environment: [String: String]? = nil) throws {
        if let environment { process.environment = environment }
        process.executableURL = URL(filePath: try BuiltProducts.executable("FleetPeer"))
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        signal(SIGKILL)
        process.waitUntilExit()
    }

    /// Returns the next line that the process prints; nil when it has ended.
    func line() -> String? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeSubrange(...end) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            buffer += more
        }
    }

    func send(_ line: String) { input.fileHandleForWriting.write(Data("\(line)\n".utf8)) }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Kills the process, and returns when it is gone.
    func end() { killing() }

    /// Kills the process when called, on any thread, and returns when it is gone.
    var killing: @Sendable () -> Void {
        let id = process.processIdentifier
        return {
            kill(id, SIGKILL)
            var information = unsafe siginfo_t()
            while unsafe waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
        }
    }
}
