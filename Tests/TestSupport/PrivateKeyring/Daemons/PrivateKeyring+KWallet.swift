internal import Crypto
internal import CryptoExtras
internal import SecretService

extension PrivateKeyring {
    /// What a login derives from the password to open a wallet.
    private static let walletKey = Result {
        try unsafe KDF.Insecure.PBKDF2.deriveKey(
            from: Array(password.utf8),
            salt: walletSalt.utf8.map { $0 },
            using: .sha512,
            outputByteCount: 56,
            unsafeUncheckedRounds: 50_000
        ).withUnsafeBytes { bytes in unsafe Array(bytes) }
    }

    private static let walletSalt = String(repeating: "a private salt", count: 4)

    /// Makes a wallet, which only a second start of KWallet shows to the Secret Service.
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
        try spawnDaemon(["kwalletd5"])
        try awaitDaemon()
        try openWallet()
        try terminateDaemon()
    }

    func startKWallet(unlocked: Bool) throws {
        try spawnDaemon(["kwalletd5"])
        try awaitDefaultCollection(locked: true)
        if unlocked { try unlockKWallet() }
    }

    /// Opens the wallet as a login does; to the Secret Service it stays locked until somebody asks to unlock it.
    func unlockKWallet() throws {
        try openWallet()
        try service.unlock([service.defaultCollection()])
    }

    private func openWallet() throws {
        let key = try Self.walletKey.get().map { "0x" + String($0, radix: 16) }.joined(separator: ",")
        try callKWallet("pamOpen", ["kdewallet", "[\(key)]", "0"])
    }

    private func callKWallet(_ method: String, _ arguments: [String]) throws {
        let target = ["call", "--session", "-d", "org.kde.kwalletd5", "-o", "/modules/kwalletd5"]
        let called = try run("gdbus", target + ["-m", "org.kde.KWallet.\(method)"] + arguments)
        guard called.status == 0 else { throw PrivateKeyringError("\(method): \(called.standardError)") }
    }
}
