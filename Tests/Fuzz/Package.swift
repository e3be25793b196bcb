// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nothing else is built with what a fuzzer needs. `Tests/fuzz` builds and runs it.
let package = Package(
    name: "Fuzz",
    dependencies: [
        .package(name: "SharedAuth", path: "../.."),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    ],
    targets: [
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                .product(name: "BrowserFlow", package: "SharedAuth"),
                .product(name: "IdentityToolkit", package: "SharedAuth"),
                .product(name: "LocalIdentity", package: "SharedAuth"),
                .product(name: "OpenIDConnect", package: "SharedAuth"),
                .product(name: "PassAuth", package: "SharedAuth"),
                .product(name: "SecretService", package: "SharedAuth"),
                .product(name: "SharedAuth", package: "SharedAuth"),
                .product(name: "SharedAuthHTTP", package: "SharedAuth"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Sources",
            // The fuzzer has the main function.
            swiftSettings: [.unsafeFlags(["-parse-as-library"])]
        )
    ],
    swiftLanguageModes: [.v6]
)
