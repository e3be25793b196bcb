/// The programs of KWallet, one for each generation.
enum WalletProgram: String, CaseIterable {
    /// Since 6.14. A login starts it, and hands it the key then or never.
    case ksecretd
    /// From 6.0 to 6.13; later it only forwards to `ksecretd`, which is tried first.
    case kwalletd6
    case kwalletd5

    /// The one to test with: the latest that is installed.
    static let installed = allCases.first { Programs.path(of: $0.rawValue) != nil }
}
