/// The programs that provide KWallet; each generation has a separate program.
enum WalletProgram: String, CaseIterable {
    /// Since 6.14. A login starts it, and hands it the key then or never.
    case ksecretd
    /// From 6.0 to 6.13. Later versions only forward to `ksecretd`, which is therefore searched first.
    case kwalletd6
    case kwalletd5

    /// The program to test: the latest one that is installed.
    static let installed = allCases.first { Programs.path(of: $0.rawValue) != nil }
}
