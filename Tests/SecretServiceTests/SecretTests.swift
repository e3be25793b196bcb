import SecretService
import Testing

struct SecretTests {
    let secret = Secret("hunter2", contentType: "text/x-test")

    @Test func `A secret shows itself nowhere`() {
        var dumped = ""
        dump(secret, to: &dumped)
        dump([secret], to: &dumped)
        let shown = [
            "\(secret)", String(describing: secret), String(reflecting: secret), String(reflecting: [secret]),
            "\(Optional(secret) as Any)", "\(Mirror(reflecting: secret).children.map { "\($0)" })", dumped,
        ]
        for text in shown {
            #expect(!text.contains("hunter2"))
            #expect(!text.contains("104"))
        }
    }

    @Test func `A secret gives its bytes to who asks`() {
        #expect(secret.bytes == Array("hunter2".utf8))
        #expect(secret.count == 7)
        #expect(secret.contentType == "text/x-test")
        let lent = unsafe secret.withUnsafeBytes { buffer in buffer.count }
        #expect(lent == 7)
        #expect(Secret([UInt8]()).bytes.isEmpty)
        #expect(Secret([0, 1, 255]).bytes == [0, 1, 255])
        #expect(Secret(sequence(first: 1 as UInt8) { $0 < 3 ? $0 + 1 : nil }).bytes == [1, 2, 3])
    }

    @Test func `Secrets are equal by their bytes`() {
        #expect(secret == Secret("hunter2"))
        #expect(secret != Secret("hunter3"))
        #expect(secret != Secret("hunter"))
        #expect(Secret("") == Secret([UInt8]()))
    }
}
