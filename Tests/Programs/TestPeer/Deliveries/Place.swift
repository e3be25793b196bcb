import CGLibSecret
import Dispatch
import Glibc
import SecretService
import SharedAuth

/// The place where the program has its listeners called, and the loop that keeps the program alive.
enum Place: String {
    case mainQueue = "main-queue"
    case dispatchQueue = "dispatch-queue"
    case mainContext = "main-context"
    case serialExecutor = "serial-executor"
    case inlineExecutor = "inline-executor"
    case automaticMainQueue = "automatic-main-queue"
    case automaticMainContext = "automatic-main-context"
    case automaticServedMainQueue = "automatic-served-main-queue"
    case nowhere

    private static let queue: DispatchQueue = {
        let queue = DispatchQueue(label: "deliveries")
        queue.setSpecific(key: mark, value: true)
        return queue
    }()
    private static let mark = DispatchSpecificKey<Bool>()
    private static let end = DispatchSemaphore(value: 0)
    private static let queueExecutor = QueueExecutor(queue)

    init?(_ name: String) {
        self.init(rawValue: name)
    }

    var isListening: Bool { self != .nowhere }

    var executor: ListenerExecutor {
        switch self {
        case .mainQueue: .mainQueue
        case .automaticMainQueue, .automaticMainContext, .automaticServedMainQueue, .nowhere: .automatic
        case .dispatchQueue: .dispatchQueue(Self.queue)
        case .mainContext: .mainContext()
        case .serialExecutor: .serialExecutor(Self.queueExecutor)
        case .inlineExecutor: .serialExecutor(InlineExecutor.shared)
        }
    }

    /// True if the caller is in the place of the listeners.
    private var isHere: Bool {
        switch self {
        case .mainQueue, .automaticMainQueue, .dispatchQueue, .serialExecutor:
            DispatchQueue.getSpecific(key: Self.mark) == true
        case .inlineExecutor: InlineExecutor.isRunning
        case .mainContext, .automaticMainContext, .automaticServedMainQueue:
            unsafe g_main_context_is_owner(g_main_context_default()) != 0
        case .nowhere: false
        }
    }

    func report(_ what: String, _ user: User?, _ error: AuthError? = nil) {
        print(what, user?.uid ?? error?.description ?? "nil", isHere ? "here" : "elsewhere")
    }

    /// Runs the loop that the place needs, until `leave()`.
    func run() {
        switch self {
        case .mainQueue, .automaticMainQueue:
            // After dispatchMain the queue counts, whichever thread drains it.
            DispatchQueue.main.setSpecific(key: Self.mark, value: true)
            dispatchMain()
        case .mainContext, .automaticMainContext: unsafe g_main_loop_run(g_main_loop_new(nil, 0))
        case .automaticServedMainQueue:
            MainContext.default.serveMainQueue()
            unsafe g_main_loop_run(g_main_loop_new(nil, 0))
        case .dispatchQueue, .serialExecutor, .inlineExecutor, .nowhere: Self.end.wait()
        }
    }

    func leave() {
        fflush(nil)
        exit(0)
    }
}

/// A serial executor of the program.
private final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(_ queue: DispatchQueue) {
        self.queue = queue
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
