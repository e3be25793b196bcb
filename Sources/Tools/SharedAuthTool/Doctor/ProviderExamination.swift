internal import ArgumentParser
internal import CommandLineSupport
internal import FoundationEssentials
internal import OpenIDConnect
internal import SharedAuth

/// The checks of `doctor --oidc` for an OpenID provider, before any user signs in there. They fetch only the discovery
/// document and the keys.
struct ProviderExamination {
    private let client: OpenIDClient
    private let browser: BrowserSettings
    private(set) var findings: [Finding] = []

    init(_ client: OpenIDClient, _ browser: BrowserSettings) {
        self.client = client
        self.browser = browser
    }

    /// Checks everything that the provider reports about itself, from the ground up.
    mutating func run() {
        let isProtected = client.issuerURL.hasPrefix("https://")
        let (client, began) = (client, Date())
        do throws(AuthError) {
            let offer = try result { () async throws(AuthError) in try await OpenIDConnect(client).offer() }
            note(
                .good(
                    "https",
                    isProtected
                        ? "The issuer URL is an https address." : "The issuer URL is an address of this machine."
                )
            )
            guard checkIssuer(of: offer) else { return }
            if let date = offer.date {
                note(Examination.clock(date, at: client.issuerURL, between: began, and: Date()))
            }
            checkEndpoints(of: offer)
            checkAlgorithms(of: offer)
            checkKeys(of: offer)
            checkCodeChallenge(of: offer)
            checkRequests(of: offer)
            checkRedirect(to: offer)
        } catch {
            // A problem of the issuer URL or the client ID is reported before any request.
            let check = [.operationNotAllowed, .invalidClientID].contains(error.code) ? "https" : "discovery"
            note(.bad(check, error.message, remedy: error.toolRemedy, status: ExitCode(error.code)))
        }
    }

    private mutating func note(_ finding: Finding?) { if let finding { findings.append(finding) } }

    private mutating func checkIssuer(of offer: ProviderOffer) -> Bool {
        if let error = client.refusal(ofIssuer: offer.issuerURL) {
            note(.bad("discovery", error.message, remedy: error.toolRemedy, status: .unavailable))
            return false
        }
        note(
            .good(
                "discovery",
                client.issuerTemplate == nil
                    ? "\(client.issuerURL) answers, and names itself as the issuer."
                    : "\(client.issuerURL) answers, and names the issuer template. Accounts of all tenants can sign in."
            )
        )
        return true
    }

    private mutating func checkEndpoints(of offer: ProviderOffer) {
        let missing = offer.endpoints.filter { $0.isNeeded && $0.address == nil }.map(\.name)
        let open = offer.endpoints.filter { $0.address != nil && !$0.isAllowed }.map(\.name)
        if !missing.isEmpty {
            bad(
                "endpoints",
                "The discovery document lacks \(missing.joined(separator: ", ")).",
                "Have the provider's administrator add them."
            )
        }
        if !open.isEmpty {
            bad(
                "endpoints",
                "Each of these must be an https URL of another machine: \(open.joined(separator: ", ")).",
                "Have the provider's administrator correct the discovery document."
            )
        }
        guard missing.isEmpty, open.isEmpty else { return }
        let device = offer.endpoints.contains { $0.name == "device_authorization_endpoint" && $0.address != nil }
        note(
            .good(
                "endpoints",
                "All endpoints for a sign-in by browser exist, with https; "
                    + (device ? "sign-in --device is supported, too." : "sign-in --device is not supported.")
            )
        )
    }

    private mutating func checkAlgorithms(of offer: ProviderOffer) {
        let (all, known) = (offer.signingAlgorithms, offer.knownAlgorithms)
        if let all, known.isEmpty {
            bad(
                "algorithms",
                "ID tokens are signed with \(all.joined(separator: ", ")) alone, and none of these is supported.",
                SignatureRules.remedy
            )
        } else {
            note(
                .good(
                    "algorithms",
                    all == nil
                        ? "The provider does not list its algorithms for ID tokens; RS256 is the usual one."
                        : "ID tokens can be checked: \(known.joined(separator: ", "))."
                )
            )
        }
    }

    private mutating func checkKeys(of offer: ProviderOffer) {
        switch offer.keys {
        case nil: break
        case .failure(let error)?:
            note(
                .bad(
                    "keys",
                    "The keys that check ID tokens (jwks_uri) cannot be read. \(error.message)",
                    remedy: error.toolRemedy,
                    status: ExitCode(error.code)
                )
            )
        case .success(let keys)?:
            for mistake in keys.mistakes {
                note(
                    .warning(
                        "keys",
                        mistake.prefix(1).uppercased() + mistake.dropFirst() + ".",
                        remedy: "Have the provider's administrator correct it. ID tokens of this key are refused."
                    )
                )
            }
            let known = offer.knownAlgorithms
            if keys.count == 0 {
                bad(
                    "keys",
                    "The provider publishes no key that checks ID tokens (jwks_uri): it may sign them with a shared "
                        + "secret (HS256).",
                    SignatureRules.remedy
                )
            } else if !known.isEmpty, keys.algorithmsWithoutKey.count == known.count {
                bad(
                    "keys",
                    "The keys that the provider publishes are for \(keys.algorithms.joined(separator: ", ")), and "
                        + "ID tokens are signed with \(known.joined(separator: ", ")).",
                    "Have the provider's administrator publish the keys that sign, or list their algorithms."
                )
            } else {
                note(
                    .good(
                        "keys",
                        "The provider publishes \(keys.count == 1 ? "a key" : "\(keys.count) keys") for "
                            + "\(keys.algorithms.joined(separator: ", "))."
                    )
                )
            }
        }
    }

    private mutating func checkCodeChallenge(of offer: ProviderOffer) {
        switch offer.codeChallengeMethods {
        case nil:
            note(
                .warning(
                    "pkce",
                    "The provider does not say whether it supports PKCE. It is sent in any case.",
                    remedy: "Ask the provider's administrator whether PKCE with S256 is checked."
                )
            )
        case let methods? where methods.contains("S256"): note(.good("pkce", "PKCE with S256 is supported."))
        case _?:
            bad(
                "pkce",
                "PKCE with S256 is not supported, without which a desktop app cannot sign in.",
                "Have the provider's administrator allow S256."
            )
        }
    }

    private mutating func checkRequests(of offer: ProviderOffer) {
        switch offer.pushedRequests {
        case .none:
            note(.good("par", "Sign-in requests are in the browser's address: the provider has no pushed ones."))
        case .offered: note(.good("par", "Sign-in requests are pushed, as the provider supports it."))
        case .required: note(.good("par", "Sign-in requests are pushed, as the provider requires."))
        }
        switch offer.keptSession {
        case nil: note(.good("revocation", "A sign-out ends the session there, too."))
        case .notOffered?: note(.good("revocation", "A sign-out cannot end the session there: it ends by itself."))
        case .notToPublicClients?:
            note(
                .good(
                    "revocation",
                    "A sign-out without a client secret cannot end the session there: it ends by itself."
                )
            )
        }
        if offer.wantsSecret {
            // Many providers leave it out and accept such clients all the same.
            note(
                .good(
                    "client",
                    "The provider lists no authentication method for a client without a secret. If it refuses "
                        + "\(client.clientID), have it registered as a public client, or sign in with "
                        + "--client-secret-stdin."
                )
            )
        }
        if offer.refreshes == false {
            note(
                .warning(
                    "refresh",
                    "The provider does not list the grant refresh_token: a session ends with its first tokens.",
                    remedy: "Have the provider's administrator allow refresh tokens for \(client.clientID)."
                )
            )
        }
    }

    private mutating func checkRedirect(to offer: ProviderOffer) {
        let address = OpenIDConnect.redirectAddress(browser, of: client, namingItself: offer.namesIssuer)
        let ports =
            browser.redirectPort == nil ? ", at any port; if the provider compares ports, give --redirect-port" : ""
        note(.good("redirect", "Register the redirect address \(address) for \(client.clientID)\(ports)."))
    }

    private mutating func bad(_ check: String, _ message: String, _ remedy: String) {
        note(.bad(check, message, remedy: remedy, status: .unavailable))
    }

    /// The status of the first bad finding; 0 if there are no bad ones.
    var status: ExitCode { findings.first { $0.verdict == .bad }?.status ?? .success }
}
