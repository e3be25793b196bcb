import FoundationEssentials
import PassAuth
import TestSupport
import Testing

/// An authorization token's "time to live" is a date.
struct DateTests {
    @Test(
        "Dates are read with their time zones",
        arguments: [
            ("2011/03/19 02:29:34 GMT +0200", 1_300_494_574.0),
            ("2011/03/19 00:29:34 GMT +0000", 1_300_494_574),
            ("2011/03/18 17:29:34 GMT -0700", 1_300_494_574),
            ("2011/03/19 05:59:34 GMT +0530", 1_300_494_574),
            ("2011/03/19 00:29:34 GMT", 1_300_494_574),
            ("2011-03-19 02:29:34 +0200", 1_300_494_574),
            ("2011-03-19T02:29:34+02:00", 1_300_494_574),
            ("2011-03-19T00:29:34Z", 1_300_494_574),
            ("2011-03-19T00:29:34.500Z", 1_300_494_574.5),
            (" 2011/03/19 02:29:34 GMT +0200\n", 1_300_494_574),
            ("1300494574000", 1_300_494_574),
            ("1300494574500", 1_300_494_574.5),
            ("1970/01/01 00:00:00 GMT +0000", 0),
            ("2000/02/29 23:59:59 GMT +0000", 951_868_799),
            ("0001/01/01 00:00:00 GMT +0000", -62_135_596_800),
            ("9999/12/31 23:59:59 GMT +0000", 253_402_300_799),
        ]
    )
    func read(text: String, seconds: Double) throws {
        #expect(try expiry(text) == Date(timeIntervalSince1970: seconds))
    }

    @Test(
        "Dates in other formats, without a zone or not in the calendar are refused",
        arguments: [
            "soon", "2011/03/19 02:29:34", "2011-03-19T02:29:34", "2011/03/19", "2011-03/19 02:29:34 GMT",
            "03/19/2011 02:29:34 GMT", "2011/3/19 02:29:34 GMT", "11/03/19 02:29:34 GMT", "2011/03/19 2:29:34 GMT",
            "2011/03/19 02:29:34 PST", "2011/03/19 02:29:34 GMT +02", "2011/03/19 02:29:34 GMT +2400",
            "2011/03/19 02:29:34 GMT +0060", "2011/03/19 02:29:34 GMT 0200", "2011/03/19 02:29:34 GMT +0200 x",
            "2011/02/29 00:00:00 GMT", "1900/02/29 00:00:00 GMT", "2011/04/31 00:00:00 GMT", "2011/13/01 00:00:00 GMT",
            "2011/00/01 00:00:00 GMT", "2011/01/00 00:00:00 GMT", "2011/01/01 24:00:00 GMT", "2011/01/01 00:60:00 GMT",
            "2011/01/01 00:00:60 GMT", "0000/01/01 00:00:00 GMT", "-300494574000", "9999999999999999",
            "253402300800000", "1.3e12", "２０１１/03/19 02:29:34 GMT", "2011/03/19 02:29:34.Z",
            "2011-03-19T00:29:34.0123456789Z",
        ]
    )
    func refused(text: String) {
        expectFailure(\PassTokenError.code, .invalidDate) { _ = try expiry(text) }
    }

    @Test("Dates are written in the server's format and read back unchanged")
    func written() throws {
        let first = try token(expires: 951_868_799)
        #expect(first.serialized.contains("<simpleTokenTTL>2000/02/29 23:59:59 GMT +0000</simpleTokenTTL>"))
        // A prime step, so that all days of the month and all times of day occur.
        for seconds in stride(from: -62_135_596_800.0, through: 253_402_300_799, by: 86_399 * 6_007) {
            guard try token(expires: seconds).expires == Date(timeIntervalSince1970: seconds) else {
                Issue.record("\(seconds) is read as another date")
                return
            }
        }
    }

    @Test(
        "A date that a token cannot represent is refused",
        arguments: [-62_135_596_801.0, 253_402_300_800, .infinity, .nan]
    )
    func unwritable(seconds: Double) {
        expectFailure(\PassTokenError.code, .invalidValue) { _ = try token(expires: seconds) }
    }

    private func expiry(_ text: String) throws(PassTokenError) -> Date {
        let ttl = "<simpleTokenTTL>\(text)</simpleTokenTTL>"
        return try AuthorizationToken(fragment: Fragments.authorization(ttl: ttl)).expires
    }

    private func token(expires seconds: Double) throws(PassTokenError) -> AuthorizationToken {
        try AuthorizationToken(
            requestor: "R",
            resource: "channel",
            mvpd: "Cable",
            expires: Date(timeIntervalSince1970: seconds),
            fingerprint: "ab12"
        )
    }
}
