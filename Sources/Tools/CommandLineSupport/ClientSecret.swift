internal import DesktopSupport

/// The client secret in the environment.
package enum ClientSecret {
    private static let issuer = "\(SecretVariables.clientSecret)_ISSUER"

    /// Returns the secret if it belongs to this issuer. A stored session may name any issuer; the secret is sent to no
    /// other.
    package static func ofEnvironment(for issuerURL: String) -> String? {
        guard let secret = Environment[SecretVariables.clientSecret] else { return nil }
        guard let named = Environment[issuer] else {
            StandardError.write(
                line:
                    "The client secret in \(SecretVariables.clientSecret) is not sent. Set its issuer URL in "
                    + "\(issuer)."
            )
            return nil
        }
        return named == issuerURL ? secret : nil
    }
}
