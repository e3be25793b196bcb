internal import ArgumentParser
internal import CommandLineSupport
internal import FoundationEssentials
internal import IdentityToolkit
internal import OpenIDConnect
internal import SharedAuth

extension Examination {
    /// The allowed difference between this machine's clock and an issuer's.
    private static let leeway: TimeInterval = 60

    /// Checks that the OpenID providers of the stored sessions can be reached, that their clocks agree with this
    /// machine's, and that all sessions of one provider have one client. Checks that Firebase can be reached and
    /// accepts the API key. Without such sessions, adds no line and sends nothing.
    mutating func checkIssuers(of app: AppInspection, in group: String?) {
        var clients: [OpenIDClient] = []
        var projects: Set<String> = []
        for group in group.map({ [nil, $0] }) ?? [nil] {
            // The check of the records has reported any failure to read them.
            let issuers = (try? app.issuers(inAccessGroup: group, by: deadline)) ?? []
            let ofFirebase = issuers.filter { IdentityToolkit(issuer: $0) != nil }
            projects.formUnion(ofFirebase)
            let found = issuers.filter { !ofFirebase.contains($0) }.compactMap { OpenIDClient(issuer: $0) }
            compareClients(found, in: group)
            checkRefreshTokens((try? app.accounts(inAccessGroup: group, by: deadline)) ?? [], in: group)
            clients += found
        }
        for url in Set(clients.map(\.issuerURL)).sorted() {
            if let client = clients.first(where: { $0.issuerURL == url }) { checkIssuer(of: client) }
        }
        for issuer in projects.sorted() {
            if let toolkit = IdentityToolkit(issuer: issuer) { checkProject(of: toolkit) }
        }
    }

    /// Warns about sessions of several clients: an app with another client cannot refresh them.
    private mutating func compareClients(_ clients: [OpenIDClient], in group: String?) {
        for url in Set(clients.map(\.issuerURL)).sorted() {
            let ids = Set(clients.filter { $0.issuerURL == url }.map(\.clientID)).sorted()
            guard ids.count > 1 else { continue }
            let slot = group.map { "Access group \($0)" } ?? "The app's own slot"
            note(
                .warning(
                    "clients",
                    "\(slot) has sessions of \(url) with several clients, \(ids.joined(separator: " and ")): an app can use only those of "
                        + "its own client.",
                    remedy: "Use one client id in all apps of the group, and sign in again."
                )
            )
        }
    }

    /// Warns about sessions of OpenID providers that end with their first tokens.
    private mutating func checkRefreshTokens(_ accounts: [Account], in group: String?) {
        for account in accounts where account.tokens.refreshToken == nil {
            guard let client = account.knownIssuer.flatMap({ OpenIDClient(issuer: $0) }),
                let end = account.expirationDate
            else { continue }
            note(
                .warning(
                    "refresh",
                    "The session of \(account.uid) at \(client.issuerURL) has no refresh token: it ends at "
                        + "\(end.formatted(.iso8601)).",
                    remedy: "Have the provider's administrator allow refresh tokens (the scope offline_access) for "
                        + "\(client.clientID), and sign in again."
                )
            )
        }
    }

    /// Checks that a project accepts its API key. The project's sessions work only as long as the key is accepted.
    private mutating func checkProject(of toolkit: IdentityToolkit) {
        let site = toolkit.issuer.prefix { $0 != "#" }
        do throws(AuthError) {
            try result { () async throws(AuthError) in try await toolkit.tryKey() }
            note(.good("issuer", "\(site) answers, and accepts the API key."))
        } catch {
            note(.bad("issuer", "\(site): \(error.message)", remedy: error.toolRemedy, status: ExitCode(error.code)))
        }
    }

    /// Returns a bad finding if an issuer's clock differs too much from this machine's at the time of a request.
    static func clock(_ date: Date, at issuerURL: String, between began: Date, and ended: Date) -> Finding? {
        guard began.timeIntervalSince(date) > leeway || date.timeIntervalSince(ended) > leeway else { return nil }
        let minutes = Int((abs(date.timeIntervalSince(began)) / 60).rounded(.up))
        return .bad(
            "issuer",
            "The clock is \(minutes) minutes \(date < began ? "ahead of" : "behind") that of \(issuerURL): sign-ins there are "
                + "refused.",
            remedy: "Set the clock, e.g. with timedatectl set-ntp true.",
            status: .software
        )
    }

    private mutating func checkIssuer(of client: OpenIDClient) {
        let began = Date()
        do throws(AuthError) {
            let date = try result { () async throws(AuthError) in try await OpenIDConnect(client).serverDate() }
            note(.good("issuer", "\(client.issuerURL) answers."))
            if let date, let late = Self.clock(date, at: client.issuerURL, between: began, and: Date()) { note(late) }
        } catch {
            note(
                .bad(
                    "issuer",
                    "\(client.issuerURL): \(error.message)",
                    remedy: error.toolRemedy,
                    status: ExitCode(error.code)
                )
            )
        }
    }
}
