internal import Glibc

extension SecretService {
    /// Who answers as the Secret Service, started by the bus if nobody does and it knows how.
    ///
    /// Throws `.noProvider` if nobody answers and nobody could be started.
    public func provider(within deadline: Deadline? = nil) throws(SecretServiceError) -> SecretServiceProvider {
        let deadline = self.deadline(deadline)
        let connection = try connection(by: deadline)
        let name = try Wire.busName(configuration.busName)
        let owner: String
        if let present = try self.owner(of: name, on: connection, by: deadline) {
            owner = present
        } else {
            let start = BusRequest.bus("StartServiceByName", .tuple(.string(name), .uint32(0)), answer: "(u)")
            _ = try connection.call(start, by: deadline)
            let started = BusRequest.bus("GetNameOwner", .tuple(.string(name)), answer: "(s)")
            owner = try connection.call(started, by: deadline)[0].string
        }
        let processID = try processID(of: owner, on: connection, by: deadline)
        // News of another owner that came before these answers has been heard when they are returned.
        _ = GLibThread.shared.run(by: deadline) {}
        return SecretServiceProvider(
            uniqueName: owner,
            processID: processID,
            executableName: countsProcessesApart ? nil : processID.flatMap(Self.executableName)
        )
    }

    /// Whether a process id that the bus tells is another process's here, or nobody's.
    private var countsProcessesApart: Bool {
        if case .flatpak = configuration.sandbox { true } else { false }
    }

    /// The unique name behind a well-known one; nil if there is none.
    func owner(
        of name: String,
        on connection: BusConnection,
        by deadline: Deadline
    ) throws(SecretServiceError) -> String? {
        do throws(SecretServiceError) {
            return try connection.call(.bus("GetNameOwner", .tuple(.string(name)), answer: "(s)"), by: deadline)[0]
                .string
        } catch {
            guard error.remoteErrorName == "org.freedesktop.DBus.Error.NameHasNoOwner" else { throw error }
            return nil
        }
    }

    private func processID(
        of uniqueName: String,
        on connection: BusConnection,
        by deadline: Deadline
    ) throws(SecretServiceError) -> Int32? {
        do throws(SecretServiceError) {
            let request = BusRequest.bus("GetConnectionUnixProcessID", .tuple(.string(uniqueName)), answer: "(u)")
            return Int32(exactly: try connection.call(request, by: deadline)[0].uint32)
        } catch {
            // A sandbox's bus may keep it to itself.
            guard error.remoteErrorName != nil else { throw error }
            return nil
        }
    }

    private static func executableName(of processID: Int32) -> String? {
        linkTarget("/proc/\(processID)/exe")?.split(separator: "/").last.map(String.init) ?? commandName(of: processID)
    }

    /// The kernel's short name, which is there for everybody to read, cut at 15 bytes.
    private static func commandName(of processID: Int32) -> String? {
        let file = unsafe open("/proc/\(processID)/comm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 64)
        let length = unsafe buffer.withUnsafeMutableBytes { buffer in
            unsafe read(file, buffer.baseAddress, buffer.count)
        }
        guard length > 0 else { return nil }
        return String(decoding: buffer.prefix(length).prefix { $0 != 10 }, as: UTF8.self)
    }
}
