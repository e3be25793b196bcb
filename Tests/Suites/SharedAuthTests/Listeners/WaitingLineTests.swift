import Testing

@testable import SharedAuth

/// The queue in which listeners' calls wait.
struct WaitingLineTests {
    @Test("Elements leave in the order they were added, without those that were removed")
    func order() {
        var line = WaitingLine<String, Int>()
        for number in 0..<12 { line.append(number, of: number % 4 == 3 ? nil : "\(number % 4)") }
        #expect(line.count == 12 && line.count(of: "1") == 3 && line.count(of: "none") == 0)
        #expect(line.removeAll(of: "1") == [1, 5, 9])
        #expect(line.removeAll(of: "1").isEmpty)
        #expect(line.removeFirst(of: "0") == 0)
        #expect(line.popFirst() == 2)
        #expect(line.count(of: "2") == 2)
        line.append(12, of: "0")
        #expect(line.removeFirst(of: "2") == 6)
        var left: [Int] = []
        while let number = line.popFirst() { left.append(number) }
        #expect(left == [3, 4, 7, 8, 10, 11, 12])
        #expect(line.isEmpty && line.count == 0 && line.count(of: "0") == 0)
        line.append(13, of: "0")
        #expect(line.popFirst() == 13)
    }

    @Test("Removing an owner's elements takes no more work when thousands of others wait", arguments: [10, 10_000])
    func work(waiting: Int) {
        let log = Comparisons()
        var line = WaitingLine<CountedOwner, Int>()
        for number in 0..<waiting { line.append(number, of: CountedOwner(number: number, log: log)) }
        log.count = 0
        // A single removal may meet many equal hashes.
        for removal in 0..<100 {
            let number = removal * 37 % waiting
            let owner = CountedOwner(number: number, log: log)
            #expect(line.removeAll(of: owner) == [number])
            #expect(line.count == waiting - 1)
            line.append(number, of: owner)
        }
        #expect(log.count < 100 * 10)
    }
}

private final class Comparisons {
    var count = 0
}

/// An owner that counts how often it is compared.
private struct CountedOwner: Hashable {
    let number: Int
    let log: Comparisons

    static func == (left: CountedOwner, right: CountedOwner) -> Bool {
        left.log.count += 1
        return left.number == right.number
    }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
