import CGLibSecret
import Glibc

/// The loop that a program runs on its main thread, and with it GLib's default context.
struct MainLoop: Sendable {
    /// Runs one iteration, which may wait for work, and returns whether there was any.
    let iterate: @Sendable (_ mayWait: Bool) -> Bool
    private let enter: @Sendable () -> Void

    /// GLib's main loop.
    static let glib = MainLoop(
        iterate: { mayWait in g_main_context_iteration(nil, mayWait ? 1 : 0) != 0 },
        enter: { unsafe g_main_loop_run(g_main_loop_new(nil, 0)) }
    )

    private init(iterate: @escaping @Sendable (Bool) -> Bool, enter: @escaping @Sendable () -> Void) {
        self.iterate = iterate
        self.enter = enter
    }

    /// Loads another main loop from a shared library with the functions of Tests/Programs/QtLoop.
    init(library path: String) {
        let library = unsafe dlopen(path, RTLD_NOW)
        let name: @convention(c) () -> UnsafePointer<CChar>? = unsafe Self.function("loop_name", of: library)
        let iterate: @convention(c) (Bool) -> Bool = unsafe Self.function("loop_iterate", of: library)
        let run: @convention(c) () -> Void = unsafe Self.function("loop_run", of: library)
        unsafe print(name().map { name in unsafe String(cString: name) } ?? "a loop without a name")
        self.init(iterate: { iterate($0) }, enter: { run() })
    }

    /// Runs the loop until the program ends.
    func run() -> Never {
        enter()
        print("the main loop has ended")
        exit(1)
    }

    private static func function<Function>(_ name: String, of library: UnsafeMutableRawPointer?) -> Function {
        guard let library = unsafe library, let symbol = unsafe dlsym(library, name) else {
            unsafe print(dlerror().map { message in unsafe String(cString: message) } ?? "there is no \(name)")
            exit(1)
        }
        return unsafe unsafeBitCast(symbol, to: Function.self)
    }
}
