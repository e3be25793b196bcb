internal import FoundationEssentials
public import SharedAuth

extension Auth {
    /// The language of the mails that Firebase sends, such as `de`; nil: the project's.
    ///
    /// Without Firebase as the identity provider it is nil, and setting it changes nothing.
    public var languageCode: String? {
        get { identityToolkit?.languageCode }
        set { identityToolkit?.languageCode = newValue }
    }

    /// Sets the language of the mails to the one that the program runs in.
    public func useAppLanguage() {
        languageCode = Language.code(of: ProcessInfo.processInfo.environment)
    }
}

/// The language that a program runs in.
enum Language {
    /// The code of the language that an environment names, as BCP 47 writes it; nil if it names none.
    static func code(of environment: [String: String]) -> String? {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
        guard let locale = names.lazy.compactMap({ environment[$0] }).first(where: { !$0.isEmpty }) else { return nil }
        let name = String(locale.prefix { $0 != "." && $0 != "@" })
        return name.isEmpty || name == "C" || name == "POSIX" ? nil : name.replacing("_", with: "-")
    }
}
