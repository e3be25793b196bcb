// The environment of this process, which nothing here changes once there are threads.
@unsafe @preconcurrency internal import Glibc

/// The variables in which this process may have been handed a secret: programs that it starts get none of them.
package enum SecretVariables {
    /// The one for an ID token, unless it is put into another.
    package static let idToken = "SHAREDAUTH_ID_TOKEN"

    /// The one that names those with tokens, separated by colons, where they have other names.
    package static let tokenList = "SHAREDAUTH_TOKEN_VARIABLES"

    /// The secret of the app's client at an OpenID provider.
    package static let clientSecret = "SHAREDAUTH_CLIENT_SECRET"

    private static let statement = "SHAREDAUTH_PASS_STATEMENT"

    /// The variable that says when the token in another one expires.
    package static func expiry(of variable: String) -> String { "\(variable)_EXPIRY" }

    /// The names of all of them.
    package static var all: Set<String> {
        let tokens = [idToken] + (Environment[tokenList] ?? "").split(separator: ":").map(String.init)
        return Set(tokens + tokens.map(expiry) + [tokenList, clientSecret, statement])
    }

    /// The environment of this process without them, without the end of the list.
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
