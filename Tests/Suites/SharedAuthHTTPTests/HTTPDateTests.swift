import FoundationEssentials
import Testing

@testable import SharedAuthHTTP

@Suite("Dates in headers")
struct HTTPDateTests {
    @Test(
        "A date is written as servers write it, and read back",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_827_696, "Tue, 29 Feb 2000 12:34:56 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
        ]
    )
    func bothWays(seconds: Double, text: String) {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(HTTPDate.text(date) == text)
        #expect(HTTPDate.parse(text) == date)
    }

    @Test("Fractions of a second are dropped")
    func fractions() {
        #expect(HTTPDate.text(Date(timeIntervalSince1970: 784_111_777.9)) == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test(
        "Other date formats are not read",
        arguments: [
            "", "soon", "1994-11-06T08:49:37Z", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC",
        ]
    )
    func others(text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }
}
