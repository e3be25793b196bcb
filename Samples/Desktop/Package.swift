// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that only its build needs GTK.
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

// MemberImportVisibility is off: SharedAuth's C module also includes GLib, and the compiler attributes GLib's names to
// that module alone.
for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ]
}
