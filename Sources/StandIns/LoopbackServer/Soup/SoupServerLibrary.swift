internal import CSoup

/// The server functions of libsoup in this process.
@safe struct SoupServerLibrary: @unchecked Sendable {
    // `@unchecked`: function pointers, which never change.
    let functions: CSoupServerFunctions

    private static let loaded: Result<SoupServerLibrary, LoopbackServerError> = {
        var outcome = CSOUP_MISSING
        if let functions = unsafe csoup_load_server("libsoup-3.0.so.0", &outcome) {
            return unsafe .success(SoupServerLibrary(functions: functions.pointee))
        }
        let reason =
            outcome == CSOUP_OTHER_VERSION_LOADED
            ? "This process has loaded libsoup 2, which cannot be used together with libsoup 3."
            : "libsoup 3 is not installed. Install libsoup-3.0-0 (Debian and Ubuntu) or libsoup3 (elsewhere)."
        return .failure(LoopbackServerError(description: reason))
    }()

    /// Returns the library. The first call loads it.
    static func load() throws(LoopbackServerError) -> SoupServerLibrary { try loaded.get() }
}
