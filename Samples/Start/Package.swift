// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Start",
    dependencies: [.package(name: "SharedAuth", path: "../..")],
    targets: [
        .systemLibrary(name: "CGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
        .executableTarget(
            name: "StartWindow",
            dependencies: [
                "CGTK",
                .product(name: "LocalIdentity", package: "SharedAuth"),
                .product(name: "SharedAuth", package: "SharedAuth"),
            ]
        ),
        .executableTarget(
            name: "Start",
            dependencies: [
                .product(name: "LocalIdentity", package: "SharedAuth"),
                .product(name: "SharedAuth", package: "SharedAuth"),
            ]
        ),
    ]
)
