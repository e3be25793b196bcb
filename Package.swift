// swift-tools-version: 6.2
import PackageDescription

// The architecture: each room is a folder of targets in `Sources`, `Samples` or `Tests`. A target may depend only on
// targets of its own room and of the rooms above it.

/// Parsers of foreign bytes. They know neither GLib nor users.
let formats = room(
    "Sources/Formats",
    .module("Formats", []),
    .module("JSONWebSignature", ["Formats", crypto, cryptoExtras])
)

/// The Secret Service in Swift, and records in their stores. Has no concept of a user, and no GLib types in public API.
let keyring = room(
    "Sources/Keyring",
    .systemLibrary(name: "CGLibSecret", pkgConfig: "libsecret-1", providers: [.apt(["libsecret-1-dev"])]),
    // Registers GObject types before a program has threads.
    .module("CDesktopSupport", ["CGLibSecret"]),
    .module("DesktopSupport", ["CDesktopSupport", "CGLibSecret"]),
    .module("SecretService", ["CGLibSecret", "DesktopSupport"]),
    // Records, changed by one process at a time.
    .module("SharedAuthRecords", ["DesktopSupport", "Formats", "SecretService"]),
    // Keys of passwords.
    .module("KeyDerivation", ["SecretService", crypto, cryptoExtras]),
    // Records in encrypted files, separate: an app that uses a keyring needs no cryptographic library.
    .module(
        "EncryptedFiles",
        ["DesktopSupport", "KeyDerivation", "SecretService", "SharedAuthRecords", crypto]
    )
)

/// The library that apps import.
let auth = room(
    "Sources/Auth",
    .module("SharedAuth", ["DesktopSupport", "SecretService", "SharedAuthRecords"])
)

/// Identity providers, and the HTTP and the browser that they use.
let signIn = room(
    "Sources/SignIn",
    // Conformance checks for identity providers; need no test framework.
    .module("IdentityProviderContract", ["SharedAuth"]),
    // An identity provider without a server.
    .module("LocalIdentity", ["JSONWebSignature", "KeyDerivation", "SecretService", "SharedAuth", crypto]),
    // HTTP. libsoup is loaded at the first request; no target links it.
    .module("CSoup", ["CGLibSecret"]),
    .module("SharedAuthHTTP", ["CGLibSecret", "CSoup", "DesktopSupport", "SharedAuth"]),
    // The browser: by itself, without a concept of a user, for Pass, too; and as a step of a sign-in.
    .module("BrowserFlow", ["DesktopSupport"]),
    .module("BrowserSignIn", ["BrowserFlow", "DesktopSupport", "SharedAuth", crypto]),
    .module(
        "OpenIDConnect",
        ["BrowserSignIn", "DesktopSupport", "JSONWebSignature", "SharedAuth", "SharedAuthHTTP", crypto]
    ),
    // Firebase Authentication.
    .module("IdentityToolkit", ["BrowserSignIn", "SharedAuth", "SharedAuthHTTP"])
)

/// The library for C, Python and all languages that read GObject introspection.
let languages = room(
    "Sources/Languages",
    .systemLibrary(name: "CSharedAuthGLib", pkgConfig: "gio-2.0", providers: [.apt(["libglib2.0-dev"])]),
    .module(
        "SharedAuthGLib",
        [
            "BrowserFlow", "BrowserSignIn", "CSharedAuthGLib", "DesktopSupport", "EncryptedFiles", "IdentityToolkit",
            "LocalIdentity", "OpenIDConnect", "SharedAuth",
        ]
    )
)

/// TV Everywhere: Adobe Pass's tokens and servers.
let pass = room(
    "Sources/Pass",
    .module("PassAuth", ["DesktopSupport", "Formats", "SharedAuth", crypto, cryptoExtras]),
    // REST v2, separate: an app that needs only the token stores does not link HTTP.
    .module("PassREST", ["PassAuth", "SharedAuth", "SharedAuthHTTP", "SharedAuthRecords"])
)

/// The shared records of a person's machines, on PostgreSQL. No other room links libpq.
let fleet = room(
    "Sources/Fleet",
    .systemLibrary(name: "CLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .module(
        "SharedAuthFleet",
        ["CLibpq", "DesktopSupport", "SecretService", "SharedAuth", "SharedAuthRecords", crypto],
        // The schema is part of the code, since a bundle would need the full Foundation.
        resources: [.embedInCode("Server/schema.sql"), .embedInCode("Server/upgrade.sql")]
    )
)

/// The command-line tools. The one for fleets is separate, because only it needs libpq.
let tools = room(
    "Sources/Tools",
    .module(
        "CommandLineSupport",
        ["DesktopSupport", "EncryptedFiles", "SecretService", "SharedAuth", argumentParser]
    ),
    .module(
        "PassVerbs",
        ["BrowserFlow", "CommandLineSupport", "DesktopSupport", "PassAuth", "PassREST", "SharedAuth", argumentParser]
    ),
    .program(
        "SharedAuthTool",
        [
            "BrowserFlow", "CommandLineSupport", "DesktopSupport", "EncryptedFiles", "IdentityToolkit", "LocalIdentity",
            "OpenIDConnect", "PassVerbs", "SecretService", "SharedAuth", argumentParser, crypto,
        ]
    ),
    .program(
        "FleetTool",
        ["CommandLineSupport", "DesktopSupport", "OpenIDConnect", "SharedAuth", "SharedAuthFleet", argumentParser]
    )
)

/// Servers on this machine that stand in for Firebase's and Pass's, for tests and samples.
let standIns = room(
    "Sources/StandIns",
    .module("LoopbackServer", ["CGLibSecret", "CSoup", "DesktopSupport", "SharedAuth", "SharedAuthHTTP"]),
    .module(
        "FirebaseStandInServer",
        [
            "JSONWebSignature", "LoopbackServer", "SharedAuth", "SharedAuthHTTP", "SharedAuthRecords", crypto,
            cryptoExtras,
        ]
    ),
    .program("FirebaseStandIn", ["FirebaseStandInServer", "LoopbackServer", argumentParser]),
    .module(
        "PassStandInServer",
        [
            "JSONWebSignature", "LoopbackServer", "PassAuth", "SharedAuth", "SharedAuthHTTP", crypto, cryptoExtras,
        ]
    ),
    .program("PassStandIn", ["PassStandInServer", argumentParser])
)

/// Programs to be copied: they use public API only.
let samples = room(
    "Samples",
    .sample("Hello", ["LocalIdentity", "SharedAuth"]),
    .sample("Mail", ["LocalIdentity", "SharedAuth"]),
    .sample("Calendar", ["LocalIdentity", "SharedAuth"]),
    .sample("Notes", ["LocalIdentity", "SharedAuth"]),
    .sample("Company", ["IdentityProviderContract", "SharedAuth"]),
    .sample("SingleSignOn", ["PassAuth", "SecretService", "SharedAuth"]),
    .sample("Firebase", ["IdentityToolkit", "SharedAuth"], exclude: ["README.md", "run"]),
    .sample("Fleet", ["OpenIDConnect", "SharedAuth", "SharedAuthFleet"], exclude: ["README.md", "issuer", "run"]),
    .sample(
        "TVApp",
        ["BrowserFlow", "PassAuth", "PassREST", "SecretService", "SharedAuth", "SharedAuthHTTP"],
        exclude: ["README.md", "com.example.tv.desktop", "run"]
    )
)

/// The libraries of the tests.
let testSupport = room(
    "Tests/Support",
    // Limits the number of tests that run at the same time, and closes the descriptors of child processes.
    .module("CTestSupport", []),
    .module(
        "TestSupport",
        [
            "CTestSupport", "DesktopSupport", "EncryptedFiles", "IdentityProviderContract", "SecretService",
            "SharedAuth", "SharedAuthHTTP", "SharedAuthRecords", crypto, cryptoExtras,
        ]
    )
)

/// Programs that tests start.
let testPrograms = room(
    "Tests/Programs",
    .program(
        "TestPeer",
        [
            "CGLibSecret", "EncryptedFiles", "IdentityToolkit", "SecretService", "SharedAuth", "SharedAuthHTTP",
            "TestSupport",
        ]
    ),
    .program("PassPeer", ["PassAuth", "PassREST", "SecretService", "SharedAuth", "SharedAuthHTTP", "TestSupport"]),
    .program("FleetPeer", ["EncryptedFiles", "SharedAuth", "SharedAuthFleet", "SharedAuthRecords", "TestSupport"]),
    .module("ScriptedDaemon", ["CGLibSecret"]),
    .program("TestDaemon", ["ScriptedDaemon", "SecretService", "TestSupport"]),
    .program(
        "TestFirebase",
        ["FirebaseStandInServer", "LoopbackServer", "SharedAuth", "SharedAuthHTTP", "TestSupport"]
    ),
    // These three link only the modules under test and what they need: their tests examine the effects on a process.
    .program("BusVisitor", ["DesktopSupport", "SecretService"]),
    .program("HTTPPeer", ["CGLibSecret", "DesktopSupport", "SharedAuthHTTP"]),
    .program("FirstUse", ["CGLibSecret", "DesktopSupport", "SharedAuthHTTP"]),
    // These two fail to build if a public API has GLib's names.
    .module("ConsumerProbeNames", []),
    .module(
        "ConsumerProbe",
        [
            "BrowserFlow", "ConsumerProbeNames", "LocalIdentity", "PassREST", "SecretService", "SharedAuth",
            "SharedAuthHTTP",
        ]
    )
)

/// The tests. Every suite also depends on the four modules that `suite` adds.
let suites = room(
    "Tests/Suites",
    .suite("FormatsTests", ["Formats", "JSONWebSignature", crypto, cryptoExtras]),
    .suite("SecretServiceTests", ["BusVisitor", "DesktopSupport", "TestDaemon"]),
    .suite(
        "SharedAuthTests",
        ["DesktopSupport", "EncryptedFiles", "KeyDerivation", "SharedAuthRecords", crypto, cryptoExtras]
    ),
    .suite(
        "LocalIdentityTests",
        ["EncryptedFiles", "IdentityProviderContract", "LocalIdentity", "SharedAuthRecords", crypto]
    ),
    .suite(
        "OpenIDConnectTests",
        [
            "BrowserFlow", "IdentityProviderContract", "JSONWebSignature", "LoopbackServer", "OpenIDConnect",
            "SharedAuthTool", crypto,
        ]
    ),
    .suite(
        "IdentityToolkitTests",
        [
            "BrowserFlow", "FirebaseStandInServer", "IdentityProviderContract", "IdentityToolkit", "LoopbackServer",
            "OpenIDConnect", crypto,
        ]
    ),
    .suite(
        "FirebaseStandInTests",
        [
            "FirebaseStandInServer", "IdentityProviderContract", "IdentityToolkit", "LoopbackServer",
            "SharedAuthRecords", crypto, cryptoExtras,
        ]
    ),
    .suite(
        "SharedAuthHTTPTests",
        ["DesktopSupport", "FirstUse", "HTTPPeer", "LoopbackServer"],
        exclude: ["Declarations"]
    ),
    .suite("BrowserFlowTests", ["BrowserFlow"]),
    .suite(
        "PassAuthTests",
        ["EncryptedFiles", "PassAuth", "PassPeer", "PassStandInServer", "SharedAuthRecords", cryptoExtras]
    ),
    .suite("PassStandInTests", ["LoopbackServer", "PassAuth", "PassStandInServer", "SharedAuthTool"]),
    .suite("PassRESTTests", ["LoopbackServer", "PassAuth", "PassREST", "PassStandIn", "PassStandInServer"]),
    .suite(
        "IntegrationTests",
        [
            "FirebaseStandIn", "FirebaseStandInServer", "IdentityToolkit", "LocalIdentity", "LoopbackServer",
            "SharedAuthFleet", "SharedAuthRecords", "SharedAuthTool", "TestPeer",
        ]
    ),
    .suite(
        "KeyringTests",
        ["Calendar", "Hello", "Mail", "SharedAuthRecords", "SharedAuthTool", "TestDaemon", "TestPeer"]
    ),
    .suite(
        "ForeignServerTests",
        [
            "BrowserFlow", "JSONWebSignature", "LoopbackServer", "OpenIDConnect", "PassStandInServer", "SharedAuthTool",
            crypto, cryptoExtras,
        ],
        exclude: ["Servers"]
    ),
    .suite(
        "ToolTests",
        [
            "Calendar", "Company", "EncryptedFiles", "Firebase", "FirebaseStandIn", "Hello", "Mail", "Notes",
            "PassAuth", "SharedAuthRecords", "SharedAuthTool", "SingleSignOn", "TestDaemon", "TestFirebase",
        ]
    ),
    .suite(
        "DocumentationTests",
        [
            "BrowserFlow", "EncryptedFiles", "Hello", "IdentityToolkit", "LocalIdentity", "OpenIDConnect", "PassAuth",
            "PassREST", "SharedAuthFleet",
        ],
        exclude: ["Ported"]
    ),
    .suite(
        "FleetTests",
        [
            "DesktopSupport", "EncryptedFiles", "FleetPeer", "FleetTool", "SharedAuthFleet", "SharedAuthRecords",
            "SharedAuthTool", crypto,
        ]
    )
)

/// Benchmarks.
let benchmarks = room(
    "Tests/Benchmarks",
    .program("BenchmarkApp", ["SharedAuth"]),
    .program("Benchmark", ["CGLibSecret", "PassAuth", "SecretService", "SharedAuth", "TestSupport", argumentParser])
)

let package = Package(
    name: "SharedAuth",
    products: [
        .library(name: "SharedAuth", targets: ["SharedAuthRecords", "SharedAuth"]),
        .library(name: "EncryptedFiles"),
        .library(name: "LocalIdentity"),
        .library(name: "IdentityProviderContract"),
        .library(name: "OpenIDConnect", targets: ["BrowserSignIn", "OpenIDConnect"]),
        .library(name: "IdentityToolkit", targets: ["BrowserSignIn", "IdentityToolkit"]),
        .library(name: "SharedAuthHTTP"),
        .library(name: "BrowserFlow"),
        .library(name: "PassAuth"),
        .library(name: "PassREST"),
        .library(name: "SharedAuthFleet"),
        .library(name: "SecretService"),
        .library(name: "sharedauth-glib-1", type: .dynamic, targets: ["SharedAuthGLib"]),
        .executable(name: "sharedauth", targets: ["SharedAuthTool"]),
        .executable(name: "sharedauth-fleet", targets: ["FleetTool"]),
        .executable(name: "FirebaseStandIn", targets: ["FirebaseStandIn"]),
        .executable(name: "PassStandIn", targets: ["PassStandIn"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    ],
    targets: formats + keyring + auth + signIn + languages + pass + fleet + tools + standIns + samples + testSupport
        + testPrograms + suites + benchmarks,
    swiftLanguageModes: [.v6]
)

// https://github.com/swiftlang/swift-evolution: SE-0458, SE-0480, SE-0335, SE-0409, SE-0444.
for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}

// MARK: Shorthand

var crypto: Target.Dependency { .product(name: "Crypto", package: "swift-crypto") }
var cryptoExtras: Target.Dependency { .product(name: "CryptoExtras", package: "swift-crypto") }
var argumentParser: Target.Dependency { .product(name: "ArgumentParser", package: "swift-argument-parser") }

/// Sets each target's path to `folder/<target name>` and returns the targets.
func room(_ folder: String, _ targets: Target...) -> [Target] {
    for target in targets { target.path = "\(folder)/\(target.name)" }
    return targets
}

extension Product {
    static func library(name: String) -> Product { .library(name: name, targets: [name]) }
}

extension Target {
    static func module(_ name: String, _ dependencies: [Dependency], resources: [Resource]? = nil) -> Target {
        .target(name: name, dependencies: dependencies, resources: resources)
    }

    static func program(_ name: String, _ dependencies: [Dependency]) -> Target {
        .executableTarget(name: name, dependencies: dependencies)
    }

    static func sample(_ name: String, _ dependencies: [Dependency], exclude: [String] = []) -> Target {
        .executableTarget(name: name, dependencies: dependencies, exclude: exclude, packageAccess: false)
    }

    static func suite(_ name: String, _ dependencies: [Dependency], exclude: [String] = []) -> Target {
        .testTarget(
            name: name,
            dependencies: dependencies + ["SecretService", "SharedAuth", "SharedAuthHTTP", "TestSupport"],
            exclude: exclude
        )
    }
}
