internal import CGLibSecret
internal import CSoup
package import DesktopSupport

/// The thread that runs libsoup, with its own context. It starts with the first request.
package let httpThread = ContextThread(named: "sharedauth-http")

/// One SoupSession and its connections. Use it on ``httpThread`` only.
@safe final class SoupSession: @unchecked Sendable {
    // Unchecked: only jobs of `httpThread` use the pointer. `deinit`, on any thread, enqueues the job that releases it.
    private let pointer: OpaquePointer
    let library: SoupLibrary

    /// Creates a session that keeps no cookies, caches nothing and verifies certificates.
    ///
    /// - Throws: `invalidRequest` if the certificate-authority file cannot be read; `transportMissing` if there is such
    ///   a file but no TLS support.
    init(_ library: SoupLibrary, _ proxies: Proxies, authorities: String?) throws(HTTPError) {
        self.library = library
        let database = unsafe try Self.database(authorities)
        defer { if let database = unsafe database { unsafe g_object_unref(UnsafeMutableRawPointer(database)) } }
        var functions = library.functions
        unsafe pointer = csoup_session_new(&functions, database)
        switch proxies {
        case .desktop:
            break
        case .none:
            unsafe library.functions.soup_session_set_proxy_resolver(pointer, nil)
        case .fixed(let address):
            let resolver = unsafe g_simple_proxy_resolver_new(address, nil)
            unsafe library.functions.soup_session_set_proxy_resolver(pointer, resolver)
            unsafe g_object_unref(UnsafeMutableRawPointer(resolver))
        }
    }

    /// The proxies of a session.
    enum Proxies: Sendable, Hashable {
        /// The proxies of the desktop's settings and the environment.
        case desktop
        /// No proxy.
        case none
        /// One proxy, such as `http://127.0.0.1:8888`.
        case fixed(String)
    }

    deinit {
        // libsoup's session must be released on its own thread.
        nonisolated(unsafe) let pointer = unsafe pointer
        httpThread.enqueue { [library] in
            unsafe library.functions.soup_session_abort(pointer)
            unsafe g_object_unref(UnsafeMutableRawPointer(pointer))
        }
    }

    func withUnsafePointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        defer { withExtendedLifetime(self) {} }
        return unsafe body(pointer)
    }

    /// Returns the authorities in a PEM file, or nil for the system's.
    private static func database(_ file: String?) throws(HTTPError) -> UnsafeMutablePointer<GTlsDatabase>? {
        guard let file else { return nil }
        var error: UnsafeMutablePointer<GError>?
        if let database = unsafe g_tls_file_database_new(file, &error) { return unsafe database }
        let isMissing =
            unsafe error?.pointee.domain == g_tls_error_quark()
            && error?.pointee.code == gint(G_TLS_ERROR_UNAVAILABLE.rawValue)
        unsafe g_clear_error(&error)
        if isMissing { throw SoupLibrary.tlsMissing }
        throw HTTPError(
            .invalidRequest,
            "The certificate authorities in \(file) cannot be read.",
            remedy: "Name a file of certificates in PEM form, by its absolute path."
        )
    }
}
