/// The behaviour of a version of Pass's own SDK: how it laid tokens out, what it did about other devices' tokens, and
/// what it took for the device.
public struct SDKPreset: Sendable, Hashable {
    /// The layout of the tokens.
    public var generation: StorageGeneration
    /// The treatment of other devices' tokens.
    public var mismatchPolicy: DeviceMismatchPolicy
    /// The device that tokens are bound to.
    public var device: DeviceIdentity.Kind

    /// Makes a combination of one's own.
    public init(generation: StorageGeneration, mismatchPolicy: DeviceMismatchPolicy, device: DeviceIdentity.Kind) {
        self.generation = generation
        self.mismatchPolicy = mismatchPolicy
        self.device = device
    }

    /// Up to 1.6: one token for every programmer, and a file of the app's own for TV providers that want one for each.
    public static let sdk1_6 = SDKPreset(generation: .singleSlot, mismatchPolicy: .off, device: .machine)
    /// 1.7: a bucket for each programmer and TV provider; the device is not checked.
    public static let sdk1_7 = SDKPreset(generation: .buckets, mismatchPolicy: .off, device: .machine)
    /// 1.7.5: tokens of another advertising id are deleted.
    public static let sdk1_7_5 = SDKPreset(generation: .buckets, mismatchPolicy: .sanitize, device: .advertising)
    /// 1.8: apps of one team whose ids begin differently erase one another's tokens.
    public static let sdk1_8 = SDKPreset(generation: .buckets, mismatchPolicy: .erase, device: .vendor)
    /// 1.9 to 1.10: such apps ignore one another's tokens.
    public static let sdk1_10 = SDKPreset(generation: .buckets, mismatchPolicy: .ignore, device: .vendor)
    /// From 3.7.0: as 1.10, set apart from all earlier versions.
    public static let sdk3 = SDKPreset(generation: .separateBuckets, mismatchPolicy: .ignore, device: .vendor)
    /// On tvOS: as 1.10, and private to the app.
    public static let tvOS = SDKPreset(generation: .privateBuckets, mismatchPolicy: .ignore, device: .vendor)
}
