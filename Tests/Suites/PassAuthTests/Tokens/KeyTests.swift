import PassAuth
import TestSupport
import Testing

struct KeyTests {
    @Test("A public key is passed to another process as PEM")
    func pem() throws {
        let key = try TokenPublicKey(pem: Keys.first.publicKey.pem)
        #expect(key == Keys.first.publicKey && key != Keys.second.publicKey)
    }

    @Test(
        "Anything other than an RSA key of 2048 bits is refused",
        arguments: [
            "", "key", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
            // An RSA key of 1024 bits, and one on the curve P-256.
            """
            -----BEGIN PUBLIC KEY-----
            MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDQUAC1SQphSDGjF0IlM12kr4ko
            nAe1LwXG9hE+aX0Ub7DWP3qPO72BCZDYnQbL0aywEFCz+RL4cY4s+DQyTNbqxgh9
            hBdMhsc3Qbtw1zSfLlP3U2ja038xZsUYS75v1t04D+qgJzZqyLT4F1nLx43wsZ4/
            VOBxm3mZyMwpDTB4MwIDAQAB
            -----END PUBLIC KEY-----
            """,
            """
            -----BEGIN PUBLIC KEY-----
            MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEbU+tG9gOSEq8bC+kB1XnF82kmYSh
            iey2iQx76xlQuNOA7dHk3AmyW4rBtAAG/8t5CZOPXNDQ3fZXYGlHJtBbiQ==
            -----END PUBLIC KEY-----
            """,
        ]
    )
    func refused(pem: String) {
        expectFailure(\PassTokenError.code, .invalidKey) { _ = try TokenPublicKey(pem: pem) }
        expectFailure(\PassTokenError.code, .invalidKey) { _ = try TokenSigningKey(pem: pem) }
    }

    @Test("A printed private key shows nothing")
    func printed() {
        var dumped = ""
        dump(Keys.first, to: &dumped)
        #expect("\(Keys.first)" == "TokenSigningKey" && dumped.hasPrefix("- TokenSigningKey"))
    }
}
