import Testing

/// Runs the tests of Swift Testing, which needs no list of them.
///
/// SwiftPM finds this file by its name. Without it, SwiftPM looks for tests of XCTest in an index of all sources, which
/// then has to be built.
@main
enum XCTMain {
    static func main() async {
        // `swift test` starts the program once for each testing library.
        guard CommandLine.arguments.contains("swift-testing") else { return }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
