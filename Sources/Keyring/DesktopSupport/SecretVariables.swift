// The environment of this process, which is not changed here after threads exist.
@unsafe @preconcurrency internal import Glibc

/// The environment variables that may contain secrets. Programs that this process starts do not inherit them.
package enum SecretVariables {
    /// The default variable for an ID token.
    package static let idToken = "SHAREDAUTH_ID_TOKEN"

    /// The variable that lists other variables with tokens, separated by colons.
    package static let tokenList = "SHAREDAUTH_TOKEN_VARIABLES"

    /// The variable for the client secret at an OpenID provider.
    package static let clientSecret = "SHAREDAUTH_CLIENT_SECRET"

    private static let statement = "SHAREDAUTH_PASS_STATEMENT"

    /// Returns the variable for the expiry of the token in another variable.
    package static func expiry(of variable: String) -> String { "\(variable)_EXPIRY" }

    /// The names of all variables that may contain secrets.
    package static var all: Set<String> {
        let tokens = [idToken] + (Environment[tokenList] ?? "").split(separator: ":").map(String.init)
        return Set(tokens + tokens.map(expiry) + [tokenList, clientSecret, statement])
    }

    /// The environment of this process without these variables, and without the terminating null pointer.
    package static var environmentWithout: [UnsafeMutablePointer<CChar>?] {
        let withheld = all
        var entries: [UnsafeMutablePointer<CChar>?] = unsafe []
        var entry = unsafe environ
        while let text = unsafe entry.pointee {
            let name = unsafe String(cString: text).prefix { $0 != "=" }
            if !withheld.contains(String(name)) { unsafe entries.append(text) }
            unsafe entry += 1
        }
        return unsafe entries
    }
}
