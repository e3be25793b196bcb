// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that only those who build it need GTK.
let package = Package(
    name: "Desktop",
    products: [
        .executable(name: "desktop-mail", targets: ["DesktopMail"]),
        .executable(name: "desktop-calendar", targets: ["DesktopCalendar"]),
    ],
    dependencies: [.package(name: "SharedAuth", path: "../..")],
    targets: [
        .systemLibrary(name: "CAdwaita", pkgConfig: "libadwaita-1", providers: [.apt(["libadwaita-1-dev"])]),
        .target(
            name: "AccountWindow",
            dependencies: [
                "CAdwaita",
                .product(name: "LocalIdentity", package: "SharedAuth"),
                .product(name: "SharedAuth", package: "SharedAuth"),
            ]
        ),
        .executableTarget(name: "DesktopMail", dependencies: ["AccountWindow"]),
        .executableTarget(name: "DesktopCalendar", dependencies: ["AccountWindow"]),
    ],
    swiftLanguageModes: [.v6]
)

// Not MemberImportVisibility: SharedAuth's C module has GLib in it too, and the compiler takes that for the only one.
for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ]
}
