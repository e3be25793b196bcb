internal import CLibsecret
internal import DesktopSupport

/// Resolves host names within a deadline, which libpq does not.
enum HostNames {
    /// Returns the addresses of a host; nil for the directory of a local socket.
    ///
    /// - Throws: `away` if the name is unknown, or is not resolved by the deadline.
    static func addresses(of host: String, by deadline: Deadline) throws(FleetError) -> [String]? {
        if host.hasPrefix("/") { return nil }
        let cancellable = Cancellable()
        let alarm = Alarm(at: deadline) { cancellable.cancel() }
        defer { alarm.stop() }
        let found = unsafe cancellable.withUnsafePointer { pointer in unsafe lookUp(host, pointer) }
        guard !found.isEmpty else {
            throw FleetError(
                .away,
                "The name of the fleet's server could not be resolved.",
                remedy: "Check the network; if it works, check the address with sharedauth fleet status."
            )
        }
        return found
    }

    private static func lookUp(_ host: String, _ cancellable: UnsafeMutablePointer<GCancellable>?) -> [String] {
        let resolver = unsafe g_resolver_get_default()
        defer { unsafe g_object_unref(resolver) }
        let list = unsafe g_resolver_lookup_by_name(resolver, host, cancellable, nil)
        defer { unsafe g_resolver_free_addresses(list) }
        var addresses: [String] = []
        var place = unsafe list
        while let entry = unsafe place {
            if let address = unsafe entry.pointee.data {
                let text = unsafe g_inet_address_to_string(address.assumingMemoryBound(to: GInetAddress.self))
                if let text = unsafe text { unsafe addresses.append(String(cString: text)) }
                unsafe g_free(text)
            }
            unsafe place = entry.pointee.next
        }
        return addresses
    }
}
