import SharedAuth
import SharedAuthHTTP
import Testing

@testable import OpenIDConnect

struct TokenHolderTests {
    @Test(
        "A uid is text or a whole number, and only an absent member is passed over",
        arguments: [
            (["sub": "ada", "id": 7], "ada"), (["id": 7], "7"), (["id": "7"], "7"),
            (["sub": .null, "id": 7], nil), (["sub": "", "id": 7], nil), (["sub": .object([:]), "id": 7], nil),
            (["sub": "a\nb", "id": 7], nil), (["sub": .number(1.5), "id": 7], nil), ([:], nil),
            (["sub": 9_007_199_254_740_991], "9007199254740991"),
            (["sub": -9_007_199_254_740_991], "-9007199254740991"),
            (["sub": 9_007_199_254_740_992], nil), (["sub": -9_007_199_254_740_992], nil),
        ] as [([String: JSONValue], String?)]
    )
    func uid(_ members: [String: JSONValue], _ uid: String?) {
        let holder = try? TokenHolder(JSONObject(members: members), uid: ["sub", "id"])
        #expect(holder?.claims.members.string("sub") == uid)
    }
}
