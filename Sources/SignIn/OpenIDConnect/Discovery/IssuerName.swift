package import SharedAuth
internal import SharedAuthHTTP

/// The name by which a client knows an OpenID provider: the issuer URL, or a template of the issuers of many tenants.
struct IssuerName: Sendable, Hashable {
    /// The part of a template that stands for the tenant.
    static let placeholder = "{tenantid}"
    /// The claim of ID tokens that names the tenant.
    static let claim = "tid"

    let text: String

    /// True if the provider has an issuer for each tenant.
    var isTemplate: Bool { text.contains(Self.placeholder) }

    /// Returns whether this is the name of an issuer in a redirect. A template stands for all of its tenants.
    func accepts(_ issuer: String) -> Bool { issuer == text || tenant(of: issuer) != nil }

    /// Returns the tenant of an issuer of the template; nil if it is none.
    func tenant(of issuer: String) -> String? {
        guard isTemplate, let mark = text.firstRange(of: Self.placeholder) else { return nil }
        let (start, end) = (text[..<mark.lowerBound], text[mark.upperBound...])
        guard issuer.utf8.count > start.utf8.count + end.utf8.count, issuer.hasPrefix(start), issuer.hasSuffix(end)
        else {
            return nil
        }
        let tenant = String(issuer.dropFirst(start.count).dropLast(end.count))
        return Self.isTenant(tenant) ? tenant : nil
    }

    /// Returns the issuer that must have issued a token.
    ///
    /// - Throws: `invalidCredential` if the template needs a tenant and the token names none.
    func issuerURL(of token: IDToken) throws(AuthError) -> String {
        guard isTemplate else { return text }
        guard let tenant = token.claims.string(Self.claim), Self.isTenant(tenant) else {
            throw IDTokenRules.refused("names no tenant (\(Self.claim)), which the issuer template \(text) needs")
        }
        return text.replacing(Self.placeholder, with: tenant)
    }

    /// Returns whether a text can only be a part of a path.
    private static func isTenant(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 255 && text != "." && text != ".."
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}

extension IssuerName {
    /// Returns the error of a discovery document that names this issuer; nil if it is the configured one.
    ///
    /// - Parameters:
    ///   - named: The issuer in the document; nil if there is none.
    ///   - issuerURL: The URL of the issuer that the document was found by.
    ///   - canBeTemplate: True if the client can be configured for the issuers of a template.
    func refusal(of named: String?, at issuerURL: String, canBeTemplate: Bool) -> AuthError? {
        guard let named else { return .lacking("issuer", in: "discovery document") }
        guard named != text else { return nil }
        if named.contains("{"), named.contains("}") {
            let accepting =
                canBeTemplate && named.contains(Self.placeholder)
                ? " To accept the accounts of every tenant, set the issuer template of the client to \(named)." : ""
            return AuthError(
                .webInternalError,
                "The discovery document of \(issuerURL) names a template as its issuer, \(named): each tenant has an "
                    + "issuer of its own.",
                remedy: "Configure the issuer URL of one tenant, which its own discovery document names." + accepting
            )
        }
        if text != issuerURL {
            return AuthError(
                .webInternalError,
                "The discovery document of \(issuerURL) names the issuer \(named), and the issuer template of the "
                    + "client is \(text).",
                remedy: "Leave the issuer template out, and configure the issuer URL as \(named)."
            )
        }
        let differsInSlash = named == issuerURL + "/" || named + "/" == issuerURL
        return AuthError(
            .webInternalError,
            "The discovery document of \(issuerURL) names another issuer, \(named), so it cannot be trusted.",
            remedy: differsInSlash
                ? "They differ in the slash at the end: configure the issuer URL as \(named)."
                : WebAddress(named)?.isProtected == true
                    ? "If that is the provider that you mean, configure the issuer URL as \(named)." : nil
        )
    }
}

extension OpenIDClient {
    /// The name by which the provider must name itself.
    var issuerName: IssuerName { IssuerName(text: issuerTemplate ?? issuerURL) }

    /// Returns the error of a discovery document that names this issuer; nil if it is the configured one.
    ///
    /// - Parameter named: The issuer in the document; nil if there is none.
    package func refusal(ofIssuer named: String?) -> AuthError? {
        issuerName.refusal(of: named, at: issuerURL, canBeTemplate: named.map { isAtIssuer(template: $0) } ?? false)
    }

    /// Checks the template of the issuers.
    ///
    /// - Throws: `operationNotAllowed`.
    func checkTemplate() throws(AuthError) {
        guard let issuerTemplate else { return }
        let parts = issuerTemplate.split(separator: IssuerName.placeholder, omittingEmptySubsequences: false)
        let example = issuerTemplate.replacing(IssuerName.placeholder, with: "tenant")
        // Only the path may vary: a tenant must not choose the server.
        guard parts.count == 2, WebAddress(String(parts[0])) != nil, WebAddress.isIssuerURL(example),
            parts[0].split(separator: "/", omittingEmptySubsequences: false).count > 3
        else {
            throw AuthError(
                .operationNotAllowed,
                "The issuer template of the client must be an https URL with \(IssuerName.placeholder) once in its path."
            )
        }
        guard isAtIssuer(template: issuerTemplate) else {
            throw AuthError(
                .operationNotAllowed,
                "The issuer template of the client must have the scheme, host and port of the issuer URL, \(issuerURL)."
            )
        }
    }

    /// Returns whether a template is on the server of the issuer URL, whose discovery document proves nothing for
    /// others.
    private func isAtIssuer(template: String) -> Bool {
        guard let issuer = WebAddress(issuerURL),
            let address = WebAddress(template.replacing(IssuerName.placeholder, with: "tenant"))
        else { return false }
        return address.hasOrigin(of: issuer)
    }

    /// Returns the client of a tenant that the template includes; nil for another issuer.
    ///
    /// - Parameter issuer: A value of ``issuer``.
    func tenant(ofIssuer issuer: String) -> OpenIDClient? {
        guard let other = OpenIDClient(issuer: issuer), other.clientID == clientID, issuerTemplate != nil,
            issuerName.tenant(of: other.issuerURL) != nil
        else { return nil }
        return tenant(at: other.issuerURL)
    }

    /// Returns the same client at the issuer of one tenant.
    func tenant(at issuerURL: String) -> OpenIDClient {
        var client = OpenIDClient(issuerURL: issuerURL, clientID: clientID, clientSecret: clientSecret, scopes: scopes)
        client.providerID = providerID
        client.addsOfflineAccess = addsOfflineAccess
        return client
    }
}
