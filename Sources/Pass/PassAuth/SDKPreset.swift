/// The behaviour of a version of Pass's own SDK: its token layout, its treatment of other devices' tokens, and its
/// device id.
public struct SDKPreset: Sendable, Hashable {
    /// The layout of the tokens.
    public var generation: StorageGeneration
    /// The treatment of other devices' tokens.
    public var mismatchPolicy: DeviceMismatchPolicy
    /// The device that tokens are bound to.
    public var device: DeviceIdentity.Kind

    /// Creates a custom combination.
    public init(generation: StorageGeneration, mismatchPolicy: DeviceMismatchPolicy, device: DeviceIdentity.Kind) {
        self.generation = generation
        self.mismatchPolicy = mismatchPolicy
        self.device = device
    }

    /// Up to 1.6: one token for all programmers, and a private file of the app for TV providers that require one for
    /// each programmer.
    public static let sdk1_6 = SDKPreset(generation: .singleSlot, mismatchPolicy: .off, device: .machine)
    /// 1.7: a bucket for each programmer and TV provider; the device is not checked.
    public static let sdk1_7 = SDKPreset(generation: .buckets, mismatchPolicy: .off, device: .machine)
    /// 1.7.5: tokens of another advertising id are deleted.
    public static let sdk1_7_5 = SDKPreset(generation: .buckets, mismatchPolicy: .sanitize, device: .advertising)
    /// 1.8: apps of one team with different id prefixes erase each other's tokens.
    public static let sdk1_8 = SDKPreset(generation: .buckets, mismatchPolicy: .erase, device: .vendor)
    /// 1.9 to 1.10: apps of one team with different id prefixes ignore each other's tokens.
    public static let sdk1_10 = SDKPreset(generation: .buckets, mismatchPolicy: .ignore, device: .vendor)
    /// From 3.7.0: like 1.10, separate from all earlier versions.
    public static let sdk3 = SDKPreset(generation: .separateBuckets, mismatchPolicy: .ignore, device: .vendor)
    /// On tvOS: like 1.10, private to the app.
    public static let tvOS = SDKPreset(generation: .privateBuckets, mismatchPolicy: .ignore, device: .vendor)
}
