internal import Crypto
internal import CryptoExtras
internal import Glibc
internal import SecretService

extension PrivateKeyring {
    private static let walletProgram = WalletProgram.installed ?? .kwalletd5

    /// The key that a login derives from the password to open a wallet.
    ///
    /// Only a login hands `ksecretd` a key; later the user types the password. For `ksecretd` the wallet has no
    /// password, so that it can be locked and unlocked without a user.
    private static let walletKey = Result {
        try unsafe KDF.Insecure.PBKDF2.deriveKey(
            from: Array((walletProgram == .ksecretd ? "" : password).utf8),
            salt: walletSalt.utf8.map { $0 },
            using: .sha512,
            outputByteCount: 56,
            unsafeUncheckedRounds: 50_000
        ).withUnsafeBytes { bytes in unsafe Array(bytes) }
    }

    private static let walletSalt = String(repeating: "a private salt", count: 4)

    /// Makes a wallet, which KWallet shows to the Secret Service only after a second start.
    func prepareKWallet() throws {
        try Files.makeDirectory("\(directory)/data/kwalletd")
        try Files.write(Self.walletSalt, to: "\(directory)/data/kwalletd/kdewallet.salt")
        try Files.write(
            """
            [Wallet]
            Enabled=true
            First Use=false
            Default Wallet=kdewallet
            Use One Wallet=true
            Prompt on Open=false
            Leave Open=true
            Close When Idle=false
            [org.freedesktop.secrets]
            apiEnabled=true
            """,
            to: "\(directory)/config/kwalletrc"
        )
        try spawnKWallet(asLogin: true)
        try awaitDaemon()
        if Self.walletProgram == .ksecretd {
            // It replies to calls once it has made the wallet.
            _ = try service.collections()
        } else {
            try openWallet()
        }
        try terminateDaemon()
    }

    func startKWallet(unlocked: Bool) throws {
        try spawnKWallet(asLogin: unlocked)
        guard Self.walletProgram != .ksecretd else { return try awaitDefaultCollection(locked: !unlocked) }
        try awaitDefaultCollection(locked: true)
        if unlocked { try unlockKWallet() }
    }

    /// Opens the wallet as a login does, if the program is not `ksecretd`. Then unlocks it for the Secret
    /// Service, as a client has to.
    func unlockKWallet() throws {
        if Self.walletProgram != .ksecretd { try openWallet() }
        try service.unlock([service.defaultCollection()])
    }

    /// Starts KWallet; `ksecretd` gets the key of the wallet if a login starts it.
    private func spawnKWallet(asLogin: Bool) throws {
        let program = Self.walletProgram.rawValue
        guard asLogin, Self.walletProgram == .ksecretd else { return try spawnDaemon([program]) }
        let key = try SocketPair()
        defer { close(key.theirs) }
        try Files.write(try Self.walletKey.get(), to: key.ours)
        close(key.ours)
        let path = "\(directory)/login"
        _ = unsafe unlink(path)
        let login = try LocalSocket.listening(at: path)
        defer { close(login.file) }
        try spawnDaemon(
            [program, "--pam-login", "3", "4"],
            adding: ["PAM_KWALLET5_LOGIN": "1"],
            files: [key.theirs, login.file]
        )
        // The session's environment is known only later and arrives over the socket.
        let session = try LocalSocket.connected(to: path)
        defer { close(session.file) }
        for (name, value) in environment { session.write(Array("\(name)=\(value)\n".utf8)) }
    }

    private func openWallet() throws {
        let key = try Self.walletKey.get().map { "0x" + String($0, radix: 16) }.joined(separator: ",")
        try callKWallet("pamOpen", ["kdewallet", "[\(key)]", "0"])
    }

    private func callKWallet(_ method: String, _ arguments: [String]) throws {
        let program = Self.walletProgram.rawValue
        let target = ["call", "--session", "-d", "org.kde.\(program)", "-o", "/modules/\(program)"]
        let called = try run("gdbus", target + ["-m", "org.kde.KWallet.\(method)"] + arguments)
        guard called.status == 0 else { throw PrivateKeyringError("\(method): \(called.standardError)") }
    }
}
