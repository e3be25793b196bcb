public import FoundationEssentials

/// A programmer's configuration on Pass's servers.
public struct PassConfiguration: Sendable, Hashable {
    /// The programmer's id.
    public let id: String
    /// The TV providers that it works with, in the order of the picker.
    public let mvpds: [MVPD]
    /// The programmer's domain.
    public var domain: String?
    /// The largest number of resources in one preauthorization request.
    public var preauthorizationLimit = 5
    /// Indicates whether apps may read the device's id with `getMetadata`.
    public var allowsDeviceID = false
    /// The server's time, if it is known. A difference of more than five minutes from the local clock is reported.
    public var serverDate: Date?

    /// Creates a configuration.
    public init(id: String, mvpds: [MVPD]) {
        self.id = id
        self.mvpds = mvpds
    }

    /// The part of the configuration that token stores need.
    public var requestor: RequestorConfiguration {
        RequestorConfiguration(id: id, integrations: mvpds.map(\.integration))
    }

    /// Returns a TV provider; nil if the programmer does not work with it.
    public func mvpd(_ id: String?) -> MVPD? { mvpds.first { $0.id == id } }

    /// Returns this configuration with the TV providers that only another server knows added.
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
