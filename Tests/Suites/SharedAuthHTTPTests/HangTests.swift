import DesktopSupport
import Glibc
import SharedAuthHTTP
import TestSupport
import Testing

@Suite("Hangs in tests")
struct HangTests {
    @Test("A program that does not end is killed, and what its threads do is printed")
    func program() throws {
        let home = try PrivateKeyring(state: .noDaemon)
        let result = try home.run("sleep", ["60"], limit: .seconds(1))
        #expect(result.status == 128 + SIGKILL)
        #expect(result.standardError.contains("\n#0 "))
    }

    @Test("The stacks of a stopped process are found")
    func stacks() throws {
        let home = try PrivateKeyring(state: .noDaemon)
        let process = try home.start("sleep", ["60"])
        process.signal(SIGSTOP)
        #expect(Stacks.of(process.processID).contains("\n#0 "))
        process.end()
    }

    @Test("A thread of the library that hangs is found, and so is what it does")
    func ownThread() {
        #expect(OwnThreads.silent(for: .hang) == nil)
        let mayGo = Monitor(false)
        httpThread.enqueue { blockThread(until: mayGo) }
        #expect(OwnThreads.silent(for: .milliseconds(100)) == "sharedauth-http")
        #expect(Stacks.of(getpid()).contains("blockThread"))
        mayGo.update { $0 = true }
        #expect(OwnThreads.silent(for: .hang) == nil)
    }
}

@inline(never)
private func blockThread(until mayGo: Monitor<Bool>) {
    _ = mayGo.wait(until: .patient) { $0 ? () : nil }
}
