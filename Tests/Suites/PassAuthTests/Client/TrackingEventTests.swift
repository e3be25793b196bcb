import PassAuth
import Testing

struct TrackingEventTests {
    private let client = ClientInformation(hardwareType: .desktop)

    @Test("Each event has Adobe's values in Adobe's order, and only a digest of the user")
    func values() {
        let check = TrackingEvent.Check(succeeded: true, mvpd: "Cable", userID: "someone", isFromCache: true)
        // As computed by md5sum.
        #expect(check.userDigest == "1f2bf2e032a11fec0ea5d7f9d6a5aa1d")
        #expect(
            TrackingEvent.authentication(check).values(on: client)
                == ["true", "Cable", check.userDigest, "true", "computer", "linux", "Linux"]
        )
        #expect(
            TrackingEvent.authorization(check, error: "Z100", details: "not in your package").values(on: client)
                == [
                    "true", "Cable", check.userDigest, "true", "Z100", "not in your package", "computer", "linux",
                    "Linux",
                ]
        )
        #expect(
            TrackingEvent.selectedProvider(mvpd: "Cable").values(on: client) == ["Cable", "computer", "linux", "Linux"]
        )
    }

    @Test("Without a user or a choice, values are empty, not missing")
    func failures() {
        let check = TrackingEvent.Check(succeeded: false)
        #expect(
            TrackingEvent.authentication(check).values(on: client)
                == ["false", "", "", "false", "computer", "linux", "Linux"]
        )
        #expect(TrackingEvent.selectedProvider(mvpd: nil).values(on: client) == ["", "computer", "linux", "Linux"])
    }
}
