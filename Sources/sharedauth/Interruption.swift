internal import Dispatch
internal import Glibc

/// The person's or the system's wish that the tool end.
struct Interruption {
    private let sources: [any DispatchSourceSignal]
    private let signals: AsyncStream<Void>

    /// From now on the signals end nothing by themselves.
    init() {
        let (signals, continuation) = AsyncStream<Void>.makeStream()
        self.signals = signals
        let queue = DispatchQueue(label: "sharedauth.signals")
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { continuation.yield() }
            source.activate()
            return source
        }
    }

    /// Returns when SIGINT or SIGTERM has come.
    func wait() async {
        for await _ in signals { break }
        for source in sources { source.cancel() }
    }
}
