/// A GLib main context.
public struct MainContext: Sendable {
    public static let `default` = MainContext()
    public func invoke(_ work: @escaping @Sendable () -> Void) {}
}
