// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "SharedAuth",
    products: [
        .library(name: "SharedAuth", targets: ["SharedAuthRecords", "SharedAuth"]),
        .library(name: "LocalIdentity", targets: ["LocalIdentity"]),
        .library(name: "IdentityProviderContract", targets: ["IdentityProviderContract"]),
        .library(name: "OpenIDConnect", targets: ["BrowserSignIn", "OpenIDConnect"]),
        .library(name: "IdentityToolkit", targets: ["BrowserSignIn", "IdentityToolkit"]),
        .library(name: "SharedAuthHTTP", targets: ["SharedAuthHTTP"]),
        .library(name: "BrowserFlow", targets: ["BrowserFlow"]),
        .library(name: "PassAuth", targets: ["PassAuth"]),
        .library(name: "PassREST", targets: ["PassREST"]),
        .library(name: "SecretService", targets: ["SecretService"]),
        .library(name: "sharedauth-glib-1", type: .dynamic, targets: ["SharedAuthGLib"]),
        .executable(name: "sharedauth", targets: ["SharedAuthTool"]),
        .executable(name: "sharedauth-pass", targets: ["PassTool"]),
        .executable(name: "FirebaseStandIn", targets: ["FirebaseStandIn"]),
        .executable(name: "PassStandIn", targets: ["PassStandIn"]),
    ],
    dependencies: [
        .package(url: "https://github.com/CoreOffice/XMLCoder", .upToNextMinor(from: "0.18.2")),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.0"),
    ],
    targets: [
        // The keyring: the C libraries, GLib's plumbing, the Secret Service in Swift. No public API has GLib's types.
        .systemLibrary(
            name: "CLibsecret",
            pkgConfig: "libsecret-1",
            providers: [.apt(["libsecret-1-dev"])]
        ),
        .target(name: "DesktopSupport", dependencies: ["CLibsecret"]),
        .target(name: "SecretService", dependencies: ["CLibsecret", "DesktopSupport"]),

        // Records in their stores, changed by one process at a time. Knows nothing of users.
        .target(
            name: "SharedAuthRecords",
            dependencies: [
                "DesktopSupport",
                "SecretService",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]
        ),

        // What apps import.
        .target(
            name: "SharedAuth",
            dependencies: ["DesktopSupport", "SecretService", "SharedAuthRecords"]
        ),

        // An identity provider without a server.
        .target(
            name: "LocalIdentity",
            dependencies: [
                "SecretService",
                "SharedAuth",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),

        // Checks of what every identity provider must do; they need no test framework.
        .target(name: "IdentityProviderContract", dependencies: ["SharedAuth"]),

        // Requests to servers. libsoup is loaded at the first request; no target links it.
        .target(name: "CSoup", dependencies: ["CLibsecret"]),
        .target(name: "SharedAuthHTTP", dependencies: ["CLibsecret", "CSoup", "DesktopSupport", "SharedAuth"]),

        // A server on this machine, for stand-ins of real servers.
        .target(
            name: "LoopbackServer",
            dependencies: ["CLibsecret", "CSoup", "DesktopSupport", "SharedAuth", "SharedAuthHTTP"]
        ),

        // Sign-in in the person's browser: the browser alone, and as a part of a user's sign-in.
        .target(name: "BrowserFlow", dependencies: ["DesktopSupport"]),
        .target(
            name: "BrowserSignIn",
            dependencies: ["BrowserFlow", "SharedAuth", .product(name: "Crypto", package: "swift-crypto")]
        ),

        // Sign-in at any OpenID provider.
        .target(
            name: "OpenIDConnect",
            dependencies: [
                "BrowserSignIn",
                "SharedAuth",
                "SharedAuthHTTP",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
            ]
        ),

        // Firebase Authentication over HTTPS.
        .target(name: "IdentityToolkit", dependencies: ["BrowserSignIn", "SharedAuth", "SharedAuthHTTP"]),

        // A stand-in for Firebase Authentication, for tests and samples.
        .target(
            name: "FirebaseStandInServer",
            dependencies: [
                "LoopbackServer",
                "SharedAuth",
                "SharedAuthHTTP",
                "SharedAuthRecords",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
            ]
        ),
        .executableTarget(
            name: "FirebaseStandIn",
            dependencies: [
                "FirebaseStandInServer",
                "LoopbackServer",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),

        // The GObject library, for C, Python and what else reads introspection.
        .systemLibrary(
            name: "CSharedAuthGLib",
            path: "Sources/Languages/CSharedAuthGLib",
            pkgConfig: "gio-2.0",
            providers: [.apt(["libglib2.0-dev"])]
        ),
        .target(
            name: "SharedAuthGLib",
            dependencies: [
                "BrowserFlow", "CSharedAuthGLib", "DesktopSupport", "IdentityToolkit", "LocalIdentity", "OpenIDConnect",
                "SharedAuth",
            ],
            path: "Sources/Languages/SharedAuthGLib"
        ),

        // TV Everywhere: Adobe Pass's tokens. They are XML, for which it needs the full Foundation.
        .target(
            name: "PassAuth",
            dependencies: [
                "SharedAuth",
                "XMLCoder",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]
        ),

        // Pass's servers, by REST v2. An app that needs the token stores alone does not link HTTP.
        .target(
            name: "PassREST",
            dependencies: ["PassAuth", "SharedAuth", "SharedAuthHTTP", "SharedAuthRecords"]
        ),

        // The command-line tool, and one for Pass's tokens, so that the first needs no XML.
        .target(
            name: "CommandLineSupport",
            dependencies: [
                "DesktopSupport",
                "SecretService",
                "SharedAuth",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .executableTarget(
            name: "SharedAuthTool",
            dependencies: [
                "BrowserFlow",
                "CommandLineSupport",
                "DesktopSupport",
                "IdentityToolkit",
                "LocalIdentity",
                "OpenIDConnect",
                "SecretService",
                "SharedAuth",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .executableTarget(
            name: "PassTool",
            dependencies: [
                "BrowserFlow",
                "CommandLineSupport",
                "DesktopSupport",
                "PassAuth",
                "PassREST",
                "SharedAuth",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),

        // A stand-in for Pass's servers, for tests and samples.
        .target(
            name: "PassStandInServer",
            dependencies: [
                "LoopbackServer",
                "PassAuth",
                "SharedAuth",
                "SharedAuthHTTP",
                "SharedAuthRecords",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]
        ),
        .executableTarget(
            name: "PassStandIn",
            dependencies: [
                "PassStandInServer",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),

        // Samples, to be copied: they use public API only.
        .sample("Hello"),
        .sample("Mail"),
        .sample("Calendar"),
        .sample("Notes"),
        .sample("Company", ["IdentityProviderContract", "SharedAuth"]),
        .sample("SingleSignOn", ["PassAuth", "SecretService", "SharedAuth"]),
        .sample("Firebase", ["IdentityToolkit", "SharedAuth"], exclude: ["README.md", "run"]),
        .sample(
            "TVApp",
            ["BrowserFlow", "PassAuth", "PassREST", "SecretService", "SharedAuth", "SharedAuthHTTP"],
            exclude: ["README.md", "com.example.tv.desktop", "run"]
        ),

        // Tests, with their two libraries and the programs that they start.
        .target(
            name: "TestSupport",
            dependencies: [
                "IdentityProviderContract",
                "SecretService",
                "SharedAuth",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            path: "Tests/TestSupport"
        ),
        .target(
            name: "PassTestSupport",
            dependencies: ["SharedAuth", "SharedAuthHTTP"],
            path: "Tests/PassTestSupport"
        ),
        .executableTarget(
            name: "TestPeer",
            dependencies: [
                "CLibsecret", "IdentityToolkit", "SecretService", "SharedAuth", "SharedAuthHTTP", "TestSupport",
            ],
            path: "Tests/TestPeer"
        ),
        .executableTarget(
            name: "PassPeer",
            dependencies: ["PassAuth", "PassREST", "SecretService", "SharedAuth", "SharedAuthHTTP", "TestSupport"],
            path: "Tests/PassPeer"
        ),
        .target(name: "ScriptedDaemon", dependencies: ["CLibsecret"], path: "Tests/TestDaemon/ScriptedDaemon"),
        .executableTarget(
            name: "TestDaemon",
            dependencies: ["ScriptedDaemon", "SecretService", "TestSupport"],
            path: "Tests/TestDaemon/Daemon"
        ),
        .executableTarget(
            name: "TestFirebase",
            dependencies: ["FirebaseStandInServer", "LoopbackServer", "SharedAuth", "SharedAuthHTTP", "TestSupport"],
            path: "Tests/TestFirebase"
        ),
        // These two link nothing else: their tests are about what one module does to a process.
        .executableTarget(
            name: "BusVisitor",
            dependencies: ["DesktopSupport", "SecretService"],
            path: "Tests/BusVisitor"
        ),
        .executableTarget(
            name: "HTTPPeer",
            dependencies: ["CLibsecret", "DesktopSupport", "SharedAuthHTTP"],
            path: "Tests/HTTPPeer"
        ),
        .testTarget(
            name: "SecretServiceTests",
            dependencies: ["BusVisitor", "DesktopSupport", "SecretService", "TestDaemon", "TestSupport"]
        ),
        .testTarget(
            name: "SharedAuthTests",
            dependencies: [
                "SecretService",
                "SharedAuth",
                "SharedAuthRecords",
                "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "LocalIdentityTests",
            dependencies: [
                "IdentityProviderContract",
                "LocalIdentity",
                "SecretService",
                "SharedAuth",
                "SharedAuthRecords",
                "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
            ]
        ),
        .testTarget(
            name: "OpenIDConnectTests",
            dependencies: [
                "IdentityProviderContract",
                "OpenIDConnect",
                "SecretService",
                "SharedAuth",
                "SharedAuthHTTP",
                "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "IdentityToolkitTests",
            dependencies: [
                "BrowserFlow", "FirebaseStandInServer", "IdentityProviderContract", "IdentityToolkit", "LoopbackServer",
                "OpenIDConnect", "SharedAuth", "SharedAuthHTTP", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "FirebaseStandInTests",
            dependencies: [
                "FirebaseStandInServer", "IdentityProviderContract", "IdentityToolkit", "LoopbackServer", "SharedAuth",
                "SharedAuthHTTP", "SharedAuthRecords", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
            ]
        ),
        .testTarget(
            name: "SharedAuthHTTPTests",
            dependencies: ["DesktopSupport", "HTTPPeer", "SharedAuth", "SharedAuthHTTP", "TestSupport"],
            exclude: ["Declarations"]
        ),
        .testTarget(
            name: "LoopbackServerTests",
            dependencies: ["LoopbackServer", "SharedAuth", "SharedAuthHTTP", "TestSupport"]
        ),
        .testTarget(name: "BrowserFlowTests", dependencies: ["BrowserFlow", "SecretService", "TestSupport"]),
        .testTarget(
            name: "PassAuthTests",
            dependencies: [
                "PassAuth", "PassPeer", "PassStandInServer", "SecretService", "SharedAuth",
                "SharedAuthHTTP", "SharedAuthRecords", "TestSupport",
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "PassStandInTests",
            dependencies: [
                "LoopbackServer", "PassAuth", "PassStandInServer", "PassTestSupport", "PassTool", "SharedAuth",
                "SharedAuthHTTP", "SharedAuthTool", "TestSupport",
            ]
        ),
        .testTarget(
            name: "PassRESTTests",
            dependencies: [
                "LoopbackServer", "PassAuth", "PassREST", "PassStandIn", "PassStandInServer", "PassTestSupport",
                "SecretService", "SharedAuth", "SharedAuthHTTP", "TestSupport",
            ]
        ),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "FirebaseStandIn", "FirebaseStandInServer", "IdentityToolkit", "LocalIdentity", "LoopbackServer",
                "SecretService", "SharedAuth", "SharedAuthHTTP", "SharedAuthRecords", "SharedAuthTool", "TestPeer",
                "TestSupport",
            ]
        ),
        .testTarget(
            name: "KeyringTests",
            dependencies: [
                "Calendar", "Hello", "Mail", "SecretService", "SharedAuth", "SharedAuthRecords", "SharedAuthTool",
                "TestDaemon", "TestPeer", "TestSupport",
            ]
        ),
        .testTarget(
            name: "ForeignServerTests",
            dependencies: [
                "BrowserFlow", "LoopbackServer", "OpenIDConnect", "PassStandInServer", "SecretService", "SharedAuth",
                "SharedAuthHTTP", "SharedAuthTool", "TestSupport",
            ],
            exclude: ["Servers"]
        ),
        .testTarget(
            name: "ToolTests",
            dependencies: [
                "Calendar", "Company", "Firebase", "FirebaseStandIn", "Hello", "Mail", "Notes", "PassAuth", "PassTool",
                "SecretService", "SharedAuth", "SharedAuthHTTP", "SharedAuthRecords", "SharedAuthTool", "SingleSignOn",
                "TestDaemon", "TestFirebase", "TestSupport",
            ]
        ),

        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "BrowserFlow", "IdentityToolkit", "LocalIdentity", "OpenIDConnect", "PassAuth", "PassREST",
                "SecretService", "SharedAuth",
                "SharedAuthHTTP", "TestSupport",
            ]
        ),

        // Fails to build when GLib's names come through our public API.
        .target(name: "ConsumerProbeNames", path: "Tests/ConsumerProbe/Names"),
        .target(
            name: "ConsumerProbe",
            dependencies: [
                "BrowserFlow", "ConsumerProbeNames", "LocalIdentity", "PassREST", "SecretService", "SharedAuth",
                "SharedAuthHTTP",
            ],
            path: "Tests/ConsumerProbe/Probe"
        ),

        // Benchmarks.
        .executableTarget(name: "BenchmarkApp", dependencies: ["SharedAuth"], path: "Tests/Benchmarks/App"),
        .executableTarget(
            name: "Benchmark",
            dependencies: [
                "CLibsecret", "PassAuth", "SecretService", "SharedAuth", "TestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Benchmarks/Benchmark"
        ),
    ],
    swiftLanguageModes: [.v6]
)

// https://github.com/swiftlang/swift-evolution: SE-0458, SE-0335, SE-0409, SE-0444.
for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}

extension Target {
    static func sample(
        _ name: String,
        _ modules: [Dependency] = ["LocalIdentity", "SharedAuth"],
        exclude: [String] = []
    ) -> Target {
        .executableTarget(
            name: name,
            dependencies: modules,
            path: "Samples/\(name)",
            exclude: exclude,
            packageAccess: false
        )
    }
}
