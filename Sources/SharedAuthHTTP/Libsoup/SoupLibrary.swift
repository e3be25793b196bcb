internal import CSoup
internal import Synchronization

/// libsoup 3 as the process has it loaded.
@safe struct SoupLibrary: @unchecked Sendable {
    // Addresses of functions, which stay.
    let functions: CSoupFunctions

    /// The file that the dynamic linker looks for; all distributions name it so.
    static let fileName = "libsoup-3.0.so.0"

    private static let loaded = Mutex<[String: SoupLibrary]>([:])

    /// Loads the library the first time. A failure is not kept: the package may be installed meanwhile.
    static func load(_ fileName: String) throws(HTTPError) -> SoupLibrary {
        let result: Result<SoupLibrary, HTTPError> = loaded.withLock { loaded in
            if let library = loaded[fileName] { return .success(library) }
            var outcome = CSOUP_MISSING
            guard let functions = unsafe csoup_load(fileName, &outcome) else { return .failure(error(outcome)) }
            let library = unsafe SoupLibrary(functions: functions.pointee)
            loaded[fileName] = library
            return .success(library)
        }
        return try result.get()
    }

    private static func error(_ outcome: CSoupOutcome) -> HTTPError {
        switch outcome {
        case CSOUP_OTHER_VERSION_LOADED:
            HTTPError(
                .transportMissing,
                "This process has loaded libsoup 2, and libsoup 3 cannot be in the same process.",
                remedy: "Use libraries that are built on libsoup 3, such as WebKitGTK 4.1 instead of 4.0, or pass a "
                    + "transport of your own to HTTPClient."
            )
        case CSOUP_INCOMPLETE:
            HTTPError(
                .transportMissing,
                "The libsoup 3 that is installed lacks a function that is needed.",
                remedy: "Install libsoup 3.0 or newer: \(packages)."
            )
        default:
            HTTPError(
                .transportMissing,
                "libsoup 3 is not installed, so no request can be sent.",
                remedy: "Install it: \(packages)."
            )
        }
    }

    private static let packages = "on Debian and Ubuntu the package libsoup-3.0-0, elsewhere libsoup3"

    /// The module that https needs in addition, which GLib loads by itself.
    static let tlsMissing = HTTPError(
        .transportMissing,
        "GLib's support of TLS is not installed, so no https request can be sent.",
        remedy: "Install the package glib-networking."
    )
}
