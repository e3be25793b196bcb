internal import CSoup
internal import Synchronization

/// The functions of libsoup 3, as loaded in the process.
@safe struct SoupLibrary: @unchecked Sendable {
    // Unchecked: these are addresses of functions, which never change.
    let functions: CSoupFunctions

    /// The library's file name, which is the same in all distributions.
    static let fileName = "libsoup-3.0.so.0"

    private static let loaded = Mutex<[String: SoupLibrary]>([:])

    /// Loads the library the first time. A failure is not cached, since the package may be installed later.
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
                remedy: "Use libraries that are built on libsoup 3, such as WebKitGTK 4.1 instead of 4.0, or pass your "
                    + "own transport to HTTPClient."
            )
        case CSOUP_INCOMPLETE:
            HTTPError(
                .transportMissing,
                "The installed libsoup 3 lacks a function that SharedAuth needs.",
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

    /// The error for the module that https needs in addition; GLib loads that module itself.
    static let tlsMissing = HTTPError(
        .transportMissing,
        "GLib's TLS support is not installed, so no https request can be sent.",
        remedy: "Install the package glib-networking."
    )
}
