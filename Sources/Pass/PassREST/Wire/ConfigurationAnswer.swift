internal import FoundationEssentials
internal import PassAuth
internal import SharedAuth
internal import SharedAuthHTTP

extension PassConfiguration {
    /// Reads a programmer's configuration from a REST v2 response. Ignores TV providers without an id.
    ///
    /// - Throws: `invalidAnswer` for a response without a configuration.
    init(_ answer: RESTAnswer) throws(PassBackendError) {
        guard let requestor = JSONObject(answer.object.members["requestor"]), let id = requestor.string("id") else {
            throw PassBackendError(.invalidAnswer, "The configuration names no programmer.")
        }
        // Some servers list the TV providers next to the programmer.
        let mvpds = requestor.members["mvpds"] == nil ? answer.object.objects("mvpds") : requestor.objects("mvpds")
        self.init(id: id, mvpds: mvpds.compactMap(MVPD.init))
        domain = requestor.objects("domains").lazy.compactMap { $0.string("name") }.first
        serverDate = answer.date
    }
}

extension MVPD {
    fileprivate init?(_ object: JSONObject) {
        guard let id = object.string("id") else { return nil }
        self.init(
            id,
            displayName: object.string("displayName"),
            logoURL: object.string("logoUrl") ?? object.string("logoURL"),
            integration: MVPDIntegration(
                mvpd: id,
                isPerRequestor: object.bool("authPerAggregator") ?? false,
                isPassive: object.bool("passiveAuthnEnabled") ?? false
            )
        )
        enablePlatformServices = object.bool("enablePlatformServices") ?? false
        boardingStatus = object.string("boardingStatus").flatMap { BoardingStatus(rawValue: $0) }
        isTemporary = object.bool("isTempPass") ?? false
        // Adobe documents the behaviour but not the name of the field; this name is the stand-in server's.
        demandsSecureBrowser = object.bool("demandsSecureBrowser") ?? false
    }
}
