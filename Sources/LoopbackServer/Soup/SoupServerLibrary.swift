internal import CSoup

/// libsoup's server as the process has it loaded.
@safe struct SoupServerLibrary: @unchecked Sendable {
    // Addresses of functions, which stay.
    let functions: CSoupServerFunctions

    private static let loaded: Result<SoupServerLibrary, LoopbackServerError> = {
        var outcome = CSOUP_MISSING
        if let functions = unsafe csoup_load_server("libsoup-3.0.so.0", &outcome) {
            return unsafe .success(SoupServerLibrary(functions: functions.pointee))
        }
        let reason =
            outcome == CSOUP_OTHER_VERSION_LOADED
            ? "This process has loaded libsoup 2, and libsoup 3 cannot be in the same process."
            : "libsoup 3 is not installed. Install it: on Debian and Ubuntu the package libsoup-3.0-0, elsewhere libsoup3."
        return .failure(LoopbackServerError(description: reason))
    }()

    /// Loads the library the first time.
    static func load() throws(LoopbackServerError) -> SoupServerLibrary { try loaded.get() }
}
