internal import FoundationEssentials
internal import PassAuth

/// How stored tokens are judged and told.
struct Listing {
    let date: Date
    let device: DeviceIdentity
    let providers: Set<String>

    /// The rows of a token: its own, then one for each programmer's authorizations, or one for each of these.
    func rows(of stored: StoredToken, namesResources: Bool) -> [TokenRow] {
        let token = stored.token
        var rows = [row(of: token, for: nil, .authentication(isShared: stored.isShared))]
        for (requestor, cache) in stored.caches.sorted(by: { $0.key < $1.key }) where cache.authorizationCount > 0 {
            if namesResources {
                rows += cache.allAuthorizations.map { row(of: $0, for: requestor, .authorization($0.resource)) }
            } else {
                let count = cache.authorizationCount
                rows.append(TokenRow(requestor: requestor, mvpd: token.mvpd, kind: .authorizations(count)))
            }
        }
        return rows
    }

    private func row(of token: some DeviceBoundToken, for requestor: String?, _ kind: TokenRow.Kind) -> TokenRow {
        let verdict = token.verdict(at: date, device: device, allowedIssuers: providers, requestor: requestor)
        return TokenRow(
            requestor: requestor ?? token.requestor,
            mvpd: token.mvpd,
            kind: kind,
            judgement: (verdict, token.expires)
        )
    }
}
