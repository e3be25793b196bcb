internal import DesktopSupport

/// Resolves host names within a deadline, which libpq does not.
enum HostNames {
    /// Returns the addresses of a host; nil for the directory of a local socket.
    ///
    /// - Throws: `away` if the name is unknown, or is not resolved by the deadline.
    static func addresses(of host: String, by deadline: Deadline) throws(FleetError) -> [String]? {
        if host.hasPrefix("/") { return nil }
        let found = HostAddresses.lookUp(host, by: deadline)
        guard !found.isEmpty else {
            throw FleetError(
                .away,
                "The name of the fleet's server could not be resolved.",
                remedy: "Check the network; if it works, check the address with sharedauth fleet status."
            )
        }
        return found
    }
}
