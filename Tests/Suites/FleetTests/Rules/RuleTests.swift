import TestSupport
import Testing

@testable import SharedAuthFleet

/// Searches the histories of a few devices for faults of the rules.
struct RuleTests {
    @Test("No history of two devices undoes a sign-out or ends a session by rotation", .timeLimit(.minutes(5)))
    func twoDevices() {
        let search = ModelSearch(RuledDevice.self, devices: 2, depth: 8)
        #expect(!search.hasFault, "\(search)")
        #expect(search.states > 10_000)
    }

    @Test("No history of three devices undoes a sign-out or ends a session by rotation", .timeLimit(.minutes(5)))
    func threeDevices() {
        let search = ModelSearch(RuledDevice.self, devices: 3, depth: 8)
        #expect(!search.hasFault, "\(search)")
        #expect(search.states > 50_000)
    }

    @Test("Without a restored backup, no device presents tokens that were used")
    func reuseNeedsRestore() {
        let search = ModelSearch(RuledDevice.self, devices: 2, depth: 9, restoring: false)
        #expect(search.avoidableReuse + search.reuseAfterRestore == 0, "\(search)")
    }

    @Test("The search finds the faults of six wrong rules")
    func wrongRules() {
        func faults<Device: ModelDevice>(_ device: Device.Type, restoring: Bool = false) -> ModelSearch {
            ModelSearch(device, devices: 2, depth: 7, restoring: restoring)
        }
        #expect(faults(LocalDevice<HigherCounter>.self).undoneSignOuts > 0)
        #expect(faults(LocalDevice<CountedTombstone>.self).undoneSignOuts > 0)
        #expect(faults(LocalDevice<ExpiringTombstone>.self).undoneSignOuts > 0)
        #expect(faults(LocalDevice<CountedTombstone>.self).avoidableReuse > 0)
        #expect(faults(ForgetfulDevice.self, restoring: true).undoneSignOuts > 0)
        #expect(faults(HastyDevice.self).avoidableReuse > 0)
    }

    @Test("In 400 histories no session ends by rotation; under local truth all do")
    func rotation() {
        #expect(endedSessions(RuledDevice.self) == 0)
        #expect(endedSessions(LocalDevice<CountedTombstone>.self) == 400)
    }

    /// Returns the number of histories in which the issuer ended the session. Three devices refresh each hour, if they
    /// can; each loses the store for 1 to 48 hours now and then, but not the issuer.
    private func endedSessions<Device: ModelDevice>(_ device: Device.Type) -> Int {
        (0..<400).count { seed in
            var random = SeededRandom(seed: UInt64(seed))
            var world = ModelWorld<Device>(devices: 3)
            world.perform(.signIn(0))
            var hoursAway = [0, 0, 0]
            for _ in 0..<(14 * 24) {
                for number in 0..<3 {
                    if hoursAway[number] == 0, Int.random(in: 0..<48, using: &random) == 0 {
                        hoursAway[number] = .random(in: 1...48, using: &random)
                        world.perform(.away(number))
                    } else if hoursAway[number] > 0 {
                        hoursAway[number] -= 1
                        if hoursAway[number] == 0 { world.perform(.back(number)) }
                    }
                    if world.places[number].device.shown != nil { world.perform(.refresh(number)) }
                }
            }
            return !world.reuse.isEmpty
        }
    }
}
