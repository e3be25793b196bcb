internal import CGLibSecret

/// The numeric addresses of hosts, as GLib's resolver finds them.
package enum HostAddresses {
    /// Returns the addresses of a host, the preferred one first; none if the name is unknown, or is not resolved by the
    /// deadline. Blocks.
    package static func lookUp(_ host: String, by deadline: Deadline) -> [String] {
        let cancellable = Cancellable()
        return deadline.interrupting(by: { cancellable.cancel() }) { lookUp(host, cancellable) }.result
    }

    private static func lookUp(_ host: String, _ cancellable: Cancellable) -> [String] {
        unsafe cancellable.withUnsafePointer { pointer in
            let resolver = unsafe g_resolver_get_default()
            defer { unsafe g_object_unref(resolver) }
            let list = unsafe g_resolver_lookup_by_name(resolver, host, pointer, nil)
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
}
