// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "SharedAuth",
    products: [
        .library(name: "SharedAuth", targets: ["SharedAuth"]),
        .library(name: "LocalIdentity", targets: ["LocalIdentity"]),
        .library(name: "SecretService", targets: ["SecretService"]),
        .executable(name: "sharedauth", targets: ["sharedauth"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.0"),
    ],
    targets: [
        // The keyring: C, then Secret Service nouns in Swift. GLib goes no further up.
        .systemLibrary(
            name: "CLibsecret",
            pkgConfig: "libsecret-1",
            providers: [.apt(["libsecret-1-dev"])]
        ),
        .target(name: "SecretService", dependencies: ["CLibsecret"]),

        // What apps import.
        .target(
            name: "SharedAuth",
            dependencies: ["SecretService", .product(name: "Crypto", package: "swift-crypto")]
        ),

        // Who signs users in.
        .target(
            name: "LocalIdentity",
            dependencies: [
                "SharedAuth",
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
            ]
        ),

        // The command-line tool.
        .executableTarget(
            name: "sharedauth",
            dependencies: [
                "LocalIdentity",
                "SharedAuth",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),

        // Tests, and the bus and keyring of their own that they run against.
        .target(name: "PrivateKeyring", dependencies: ["SecretService"], path: "Tests/PrivateKeyring"),
        .executableTarget(name: "NameHolder", dependencies: ["SecretService"], path: "Tests/NameHolder"),
        .executableTarget(name: "KeyringHolder", dependencies: ["PrivateKeyring"], path: "Tests/KeyringHolder"),
        .executableTarget(name: "PromptingProvider", dependencies: ["CLibsecret"], path: "Tests/PromptingProvider"),
        .testTarget(
            name: "SecretServiceTests",
            dependencies: ["KeyringHolder", "NameHolder", "PrivateKeyring", "PromptingProvider", "SecretService"]
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
