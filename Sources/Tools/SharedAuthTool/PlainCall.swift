internal import ArgumentParser
internal import CommandLineSupport

/// The calls that scripts and prompts make most often: `status`, `token` or `whoami`, with no option but the app id.
///
/// The argument parser takes half of the instructions of such a call. For any other call it is used; it would create the
/// same command from these arguments.
enum PlainCall {
    /// Returns the command that exactly `VERB` or `VERB --app-id ID` names; nil for any other arguments.
    static func command(of arguments: [String]) -> (any ParsableCommand)? {
        guard let verb = arguments.first, let options = options(arguments.dropFirst()) else { return nil }
        return switch verb {
        case "status": Status(plain: options)
        case "token": Token(plain: options)
        case "whoami": WhoAmI(plain: options)
        default: nil
        }
    }

    private static func options(_ words: ArraySlice<String>) -> AppOptions? {
        if words.isEmpty { return AppOptions(onlyAppID: nil) }
        // The parser may take a word with a leading hyphen for an option.
        guard words.count == 2, words.first == "--app-id", let id = words.last, !id.hasPrefix("-") else { return nil }
        return AppOptions(onlyAppID: id)
    }
}

// Each sets every option of the verb, to its default: an option that was not set ends the process when it is read.

extension Status {
    fileprivate init(plain options: AppOptions) {
        all = false
        app = options
    }
}

extension Token {
    fileprivate init(plain options: AppOptions) {
        (forceRefresh, access, scope) = (false, false, [])
        (header, execCredential) = (false, false)
        (issuer, audience, uid) = (nil, nil, nil)
        app = options
    }
}

extension WhoAmI {
    fileprivate init(plain options: AppOptions) {
        app = options
    }
}
