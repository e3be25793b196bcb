/// What the apps of one vendor have in common.
enum VendorPrefix {
    /// All components of an app id but the last; the whole id when it has one component.
    static func of(appID: String) -> String {
        let components = appID.split(separator: ".", omittingEmptySubsequences: false)
        return components.count < 2 ? appID : components.dropLast().joined(separator: ".")
    }
}
