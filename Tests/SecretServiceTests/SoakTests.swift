import Glibc
import SecretService
import TestSupport
import Testing

/// How many connections to make; without `SHAREDAUTH_SOAK` the test is not run.
private let connections = unsafe getenv("SHAREDAUTH_SOAK").flatMap { value in unsafe Int(String(cString: value)) }

struct SoakTests {
    @Test(.enabled(if: connections != nil, "SHAREDAUTH_SOAK says how many connections"))
    func `Eight processes whose connections come and go get right answers only, and no daemon dies of them`() throws {
        let keyring = try PrivateKeyring()
        let service = keyring.makeService()
        let path = try service.store("x", as: "soak").path
        let before = try service.provider()
        let program = try BuiltProducts.executable("BusVisitor")
        let each = max(1, (connections ?? 0) / 8)
        let start = ContinuousClock.now
        let visitors = try (1...8).map { _ in
            let output = try Output()
            return (try keyring.start(program, ["visit", "\(each)", path], output: output.writing), output)
        }
        var total: [Substring: Int] = [:]
        for (process, output) in visitors {
            let line = output.readLine()
            #expect(process.wait() == 0)
            for outcome in line.split(separator: " ") {
                let parts = outcome.split(separator: ":")
                total[parts[0], default: 0] += Int(parts[1]) ?? 0
            }
        }
        print("\(each * 8) connections in \(ContinuousClock.now - start): \(total)")
        #expect(total.values.reduce(0, +) == each * 8)
        #expect(Set(total.keys) == ["search=found", "read=right", "hurry"])
        #expect(try service.provider() == before)
    }
}
