public final class SecretService: Sendable {
    public struct Configuration: Sendable { public init() {} }
    public init(_ c: Configuration) {}
}
