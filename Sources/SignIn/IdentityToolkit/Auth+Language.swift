internal import FoundationEssentials
public import SharedAuth

extension Auth {
    /// The language of the e-mails that Firebase sends, such as `de`; nil for the project's default.
    ///
    /// If Firebase is not the identity provider, this is nil and setting it has no effect.
    public var languageCode: String? {
        get { identityToolkit?.languageCode }
        set { identityToolkit?.languageCode = newValue }
    }

    /// Sets the language of the e-mails to the language that the program runs in.
    public func useAppLanguage() {
        languageCode = Language.code(of: ProcessInfo.processInfo.environment)
    }
}

/// The language that a program runs in.
enum Language {
    /// Returns the BCP 47 code of the language set in an environment, or nil if none is set.
    static func code(of environment: [String: String]) -> String? {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
        guard let locale = names.lazy.compactMap({ environment[$0] }).first(where: { !$0.isEmpty }) else { return nil }
        let name = String(locale.prefix { $0 != "." && $0 != "@" })
        return name.isEmpty || name == "C" || name == "POSIX" ? nil : name.replacing("_", with: "-")
    }
}
