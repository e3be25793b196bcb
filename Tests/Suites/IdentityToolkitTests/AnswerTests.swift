import Foundation
import SharedAuth
import SharedAuthHTTP
import TestSupport
import Testing

@testable import IdentityToolkit

/// Reading responses and links.
struct AnswerTests {
    @Test("A looked-up account is read whole, whatever the types of its numbers")
    func lookup() throws {
        let text = #"""
            {"localId": "u", "email": "a@b.example", "emailVerified": true, "displayName": "Ada", "photoUrl": "https://a.example/p",
            "phoneNumber": "+441", "createdAt": "1700000000500", "lastLoginAt": 1800000000000, "tenantId": "t", "unknown": [1],
            "passwordHash": "x", "providerUserInfo": [{"providerId": "google.com", "federatedId": "f", "rawId": "r",
            "displayName": "G", "email": "g@b.example", "photoUrl": "https://g.example"}, {"providerId": "phone",
            "phoneNumber": "+441"}, {"providerId": "x", "federatedId": "f"}, {"noProvider": 1}]}
            """#
        let profile = try #require(JSONObject(text.utf8)?.profile(nil))
        #expect(profile.uid == "u" && profile.email == "a@b.example" && profile.isEmailVerified)
        #expect(profile.displayName == "Ada" && profile.photoURL?.absoluteString == "https://a.example/p")
        #expect(profile.phoneNumber == "+441" && profile.tenantID == "t" && !profile.isAnonymous)
        #expect(profile.creationDate == Date(timeIntervalSince1970: 1_700_000_000.5))
        #expect(profile.lastSignInDate == Date(timeIntervalSince1970: 1_800_000_000))
        #expect(profile.providerData.map(\.providerID) == ["google.com", "phone", "x"])
        #expect(profile.providerData.map(\.uid) == ["r", "+441", "f"])
        #expect(profile.providerData.first?.email == "g@b.example")
    }

    @Test(
        "A service's photo must be at https or this machine; the app's own is kept",
        arguments: [
            ("https://g.example/p", true), ("http://127.0.0.1:9099/p", true), ("http://g.example/p", false),
            ("file:///etc/passwd", false), ("smb://g.example/p", false), ("data:image/png;base64,AA", false),
        ]
    )
    func photo(_ address: String, _ isShown: Bool) throws {
        let claims = FirebaseTransport.token(["user_id": .string("u"), "picture": .string(address)])
        let named = try #require(TokenClaims(claims)?.profile(providers: nil))
        #expect(named.photoURL?.absoluteString == (isShown ? address : nil))

        let service = #""providerUserInfo": [{"providerId": "google.com", "rawId": "r", "photoUrl": "\#(address)"}]"#
        let account = #"{"localId": "u", "photoUrl": "\#(address)", \#(service)}"#
        let profile = try #require(JSONObject(account.utf8)?.profile(nil))
        #expect(profile.photoURL?.absoluteString == (isShown ? address : nil))
        #expect(profile.providerData.first?.photoURL?.absoluteString == (isShown ? address : nil))

        // A password's entry repeats the account's photo.
        let password = #""providerUserInfo": [{"providerId": "password", "photoUrl": "\#(address)"}]"#
        for methods in [#""providerUserInfo": []"#, password] {
            let own = #"{"localId": "u", "photoUrl": "\#(address)", \#(methods)}"#
            #expect(JSONObject(own.utf8)?.profile(nil)?.photoURL?.absoluteString == address)
        }
    }

    @Test("A user whose session began anonymously stays so until a sign-in method exists")
    func anonymous() throws {
        let token = FirebaseTransport.token([
            "sub": .string("u"), "firebase": .object(["sign_in_provider": .string("anonymous")]),
        ])
        let claims = try #require(TokenClaims(token))
        func isAnonymous(_ text: String, _ claims: TokenClaims?) -> Bool? {
            JSONObject(text.utf8)?.profile(claims)?.isAnonymous
        }
        #expect(isAnonymous(#"{"localId": "u"}"#, claims) == true)
        #expect(isAnonymous(#"{"localId": "u"}"#, nil) == false)
        #expect(isAnonymous(#"{"localId": "u", "email": "a@b.example", "passwordHash": "x"}"#, claims) == false)
        #expect(
            isAnonymous(
                #"{"localId": "u", "providerUserInfo": [{"providerId": "phone", "phoneNumber": "+441"}]}"#,
                claims
            )
                == false
        )
    }

    @Test("The sign-in methods in a token are used if there is no other source")
    func identities() throws {
        let token = FirebaseTransport.token([
            "user_id": .string("u"), "email": .string("a@b.example"), "email_verified": .bool(true),
            "picture": .string("https://a.example/p"), "phone_number": .string("+441"),
            "firebase": .object([
                "sign_in_provider": .string("password"), "tenant": .string("t"),
                "identities": .object([
                    "email": .array([.string("a@b.example")]), "google.com": .array([.string("r")]),
                    "phone": .array([.string("+441")]), "odd": .string("x"),
                ]),
            ]),
        ])
        let profile = try #require(TokenClaims(token)?.profile(providers: nil))
        #expect(profile.providerData.map(\.providerID) == ["password", "google.com", "phone"])
        #expect(profile.isEmailVerified && profile.tenantID == "t" && profile.phoneNumber == "+441")
        #expect(profile.photoURL?.absoluteString == "https://a.example/p")
        #expect(TokenClaims("no token") == nil && TokenClaims("a.b.c") == nil)
    }

    @Test("A token's lifetime is the response's or else its own, by this machine's clock")
    func lifetime() throws {
        let now = Date(timeIntervalSince1970: 5)
        let token = FirebaseTransport.token(["sub": .string("u"), "iat": .number(1000), "exp": .number(1900)])
        func expiry(_ more: String) throws -> Double? {
            let object = JSONObject(#"{"idToken": "\#(token)", "refreshToken": "r"\#(more)}"#.utf8)
            return try object?.tokens(at: now)?.expirationDate.timeIntervalSince(now)
        }
        #expect(try expiry(#", "expiresIn": "3600""#) == 3600)
        #expect(try expiry(#", "expiresIn": 1800"#) == 1800)
        #expect(try expiry("") == 900)
        expectFailure(.malformedJWT) {
            try JSONObject(#"{"idToken": "x", "refreshToken": "r"}"#.utf8)?.tokens(at: now)
        }
    }

    @Test(
        "A link tells what its code is for, in the terms of links or of servers",
        arguments: [
            ("resetPassword", .passwordReset), ("verifyEmail", .verifyEmail), ("recoverEmail", .recoverEmail),
            ("signIn", .emailLink), ("verifyAndChangeEmail", .verifyAndChangeEmail),
            ("revertSecondFactorAddition", .revertSecondFactorAddition), ("EMAIL_SIGNIN", .emailLink),
            ("PASSWORD_RESET", .passwordReset), ("VERIFY_EMAIL", .verifyEmail), ("RECOVER_EMAIL", .recoverEmail),
            ("VERIFY_AND_CHANGE_EMAIL", .verifyAndChangeEmail),
            ("REVERT_SECOND_FACTOR_ADDITION", .revertSecondFactorAddition), ("other", .unknown),
        ] as [(String, ActionCodeOperation)]
    )
    func link(_ mode: String, _ operation: ActionCodeOperation) throws {
        let text =
            "https://p.example/__/auth/action?apiKey=K&mode=\(mode)&oobCode=C%2B&continueUrl=https%3A%2F%2Fa.example%2F%3Fb&lang=de&tenantId=t"
        let url = try #require(ActionCodeURL(link: text))
        #expect(url.operation == operation && url.code == "C+" && url.apiKey == "K" && url.tenantID == "t")
        #expect(url.languageCode == "de" && url.continueURL?.absoluteString == "https://a.example/?b")
        #expect(!"\(url)".contains("C+"))
        #expect(ActionCodeURL(link: "https://p.example/?mode=signIn") == nil)
        #expect(ActionCodeURL(link: "no link") == nil)
    }
}
