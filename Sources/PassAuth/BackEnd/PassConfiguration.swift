public import FoundationEssentials

/// A programmer's configuration, as Pass's servers have it.
public struct PassConfiguration: Sendable, Hashable {
    /// The programmer's id.
    public let id: String
    /// The TV providers that it works with, in the order of the picker.
    public let mvpds: [MVPD]
    /// The programmer's domain.
    public var domain: String?
    /// The number of resources that one preauthorization may ask for.
    public var preauthorizationLimit = 5
    /// Whether apps may read the device's id with `getMetadata`.
    public var allowsDeviceID = false
    /// The server's time, where it tells; a clock that differs by more than five minutes is reported.
    public var serverDate: Date?

    /// Makes a configuration.
    public init(id: String, mvpds: [MVPD]) {
        self.id = id
        self.mvpds = mvpds
    }

    /// The part of it that token stores know.
    public var requestor: RequestorConfiguration {
        RequestorConfiguration(id: id, integrations: mvpds.map(\.integration))
    }

    /// A TV provider; nil for one that the programmer does not work with.
    public func mvpd(_ id: String?) -> MVPD? { mvpds.first { $0.id == id } }

    /// This one, and the TV providers that another server knows, too.
    func merged(with other: PassConfiguration) -> PassConfiguration {
        let known = Set(mvpds.map(\.id))
        var merged = PassConfiguration(id: id, mvpds: mvpds + other.mvpds.filter { !known.contains($0.id) })
        merged.domain = domain ?? other.domain
        merged.preauthorizationLimit = preauthorizationLimit
        merged.allowsDeviceID = allowsDeviceID
        merged.serverDate = serverDate ?? other.serverDate
        return merged
    }
}
