import Glibc
import Synchronization
import Testing

@testable import SharedAuth

/// Disks that fail, or lose what they were not told to keep.
struct GroupChoiceFileTests {
    private let place: FilePlace

    init() throws {
        place = try FilePlace()
    }

    private func file(_ steps: FileStepInterceptor = .none) -> GroupChoiceFile {
        GroupChoiceFile(
            directory: "\(place.root)/state",
            appID: "com.example.Mail",
            project: "p",
            instance: "default",
            steps: steps
        )
    }

    @Test("When a write returns, the choice is on the disk under its name, and so is every directory made for it")
    func durable() throws {
        let log = StepLog()
        try file(log.interceptor).write(GroupChoice(slot: .group("group.example.one")))
        // The state directory, the app's and the project's.
        let made = [FileStep](repeating: .syncDirectory, count: 3)
        #expect(log.take() == [.create] + made + [.create, .write, .sync, .rename, .syncDirectory])
        try file(log.interceptor).write(GroupChoice(slot: .group("group.example.two")))
        #expect(log.take() == [.create, .write, .sync, .rename, .syncDirectory])
        try file(log.interceptor).write(GroupChoice(), durably: false)
        #expect(log.take() == [.create, .write, .rename])
        #expect(try file().read() == GroupChoice())
    }

    @Test(
        "Whatever step of a write fails, the choice is as it was, and nothing is left behind",
        arguments: [false, true]
    )
    func failing(isFirst: Bool) throws {
        let former = GroupChoice(slot: .group("group.example.former"))
        var point = 1
        while true {
            let place = try FilePlace()
            let log = StepLog(failing: point)
            let name = { (steps: FileStepInterceptor) in
                GroupChoiceFile(directory: place.root, appID: "a", project: "p", instance: "default", steps: steps)
            }
            if !isFirst { try name(.none).write(former) }
            do throws(AuthError) {
                try name(log.interceptor).write(GroupChoice(slot: .group("group.example.new")))
                break
            } catch {
                #expect(error.code == .stateDirectoryUnusable)
            }
            #expect(try name(.none).read() == (isFirst ? GroupChoice() : former), "step \(point)")
            let left = (try? FilePlace.names(in: "\(place.root)/a/p")) ?? []
            #expect(left == (isFirst ? [] : ["default.json"]), "step \(point)")
            point += 1
        }
        #expect(point == (isFirst ? 9 : 6))
    }
}

/// Notes the steps, and lets one fail.
private final class StepLog: Sendable {
    private let state = Mutex<(count: Int, steps: [FileStep])>((0, []))
    private let failing: Int?

    init(failing: Int? = nil) {
        self.failing = failing
    }

    var interceptor: FileStepInterceptor {
        FileStepInterceptor { [self] step, proceed in
            let count = state.withLock { state in
                state.steps.append(step)
                state.count += 1
                return state.count
            }
            return count == failing ? EIO : proceed()
        }
    }

    func take() -> [FileStep] {
        state.withLock { state in
            defer { state.steps = [] }
            return state.steps
        }
    }
}
