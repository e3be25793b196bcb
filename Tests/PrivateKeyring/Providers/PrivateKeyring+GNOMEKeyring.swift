internal import Glibc

extension PrivateKeyring {
    func startGNOMEKeyring(unlocked: Bool) throws {
        try spawnProvider(
            ["gnome-keyring-daemon", "--foreground", "--components=secrets"] + (unlocked ? ["--unlock"] : []),
            input: Self.password
        )
        try awaitProvider()
    }

    /// Unlocks GNOME Keyring's login keyring behind the back of the Secret Service, as a login does.
    func unlockGNOMEKeyring() throws {
        let control = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard control >= 0 else { throw PrivateKeyringError("no socket: error \(errno)") }
        defer { close(control) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array("\(directory)/runtime/keyring/control".utf8CString)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { buffer in
            unsafe path.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
        }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let connected = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(control, $0, size) }
        }
        guard connected == 0 else { throw PrivateKeyringError("no control socket: error \(errno)") }
        // A byte to carry credentials; then the length of all that follows, the operation 1, and the password.
        let password = Array(Self.password.utf8)
        try Files.write(
            [0] + bigEndian(UInt32(12 + password.count)) + bigEndian(1) + bigEndian(UInt32(password.count)) + password,
            to: control
        )
        var answer = [UInt8](repeating: 0xff, count: 8)
        let count = unsafe answer.withUnsafeMutableBytes { buffer in
            unsafe recv(control, buffer.baseAddress, buffer.count, Int32(MSG_WAITALL))
        }
        guard count == 8, answer[4...] == [0, 0, 0, 0] else {
            throw PrivateKeyringError("GNOME Keyring did not unlock: \(answer)")
        }
    }

    private func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
