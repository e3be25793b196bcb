import FoundationEssentials
import Testing

@testable import SharedAuth

struct UserProfileTests {
    private static let earlier = UserProfile(
        uid: "x",
        creationDate: Date(timeIntervalSince1970: 1000),
        lastSignInDate: Date(timeIntervalSince1970: 2000),
        enrolledFactors: []
    )

    @Test("A profile without dates and second factors keeps the earlier ones")
    func missing() {
        #expect(UserProfile(uid: "x").datedAs(Self.earlier) == Self.earlier)
    }

    @Test("A profile's own dates and second factors replace the earlier ones")
    func present() {
        let factor = MultiFactorInfo(uid: "1", factorID: "phone")
        let later = UserProfile(
            uid: "x",
            creationDate: Date(timeIntervalSince1970: 3000),
            lastSignInDate: Date(timeIntervalSince1970: 4000),
            enrolledFactors: [factor]
        )
        #expect(later.datedAs(Self.earlier) == later)
    }
}
