internal import DesktopSupport

/// A value that is created when first needed, by one thread at a time, and created again once it is no longer valid.
final class LazyResource<Value: Sendable>: Sendable {
    private enum State {
        case absent, beingMade
        case present(Value)
    }

    private enum Step {
        case use(Value)
        case make
    }

    private let monitor = Monitor<State>(.absent)

    /// Returns the value. Creates it with `make` if it is absent or no longer valid. Other threads wait meanwhile, each
    /// until its own deadline.
    ///
    /// - Throws: `.timedOut` if another thread is still creating the value at the deadline; any error of `make`.
    func value(
        by deadline: Deadline,
        ifGood isGood: (Value) -> Bool = { _ in true },
        make: () throws(SecretServiceError) -> Value
    ) throws(SecretServiceError) -> Value {
        let step: Step? = monitor.wait(until: deadline) { state in
            switch state {
            case .present(let value) where isGood(value):
                return .use(value)
            case .beingMade:
                return nil
            case .present, .absent:
                state = .beingMade
                return .make
            }
        }
        switch step {
        case .use(let value):
            return value
        case .make:
            do throws(SecretServiceError) {
                let value = try make()
                monitor.update { $0 = .present(value) }
                return value
            } catch {
                monitor.update { $0 = .absent }
                throw error
            }
        case nil:
            throw .timedOut(doing: "waiting for another thread to connect")
        }
    }

    /// The current value; nil if it is absent.
    var present: Value? {
        monitor.update { state in
            if case .present(let value) = state { value } else { nil }
        }
    }

    /// Discards the value if it meets the condition.
    func discard(where meetsCondition: (Value) -> Bool) {
        monitor.update { state in
            if case .present(let value) = state, meetsCondition(value) {
                state = .absent
            }
        }
    }
}
