import Foundation
import Glibc
import PassAuth
import Testing

struct ClientInformationTests {
    private func decoded(_ base64: String) throws -> [String: String] {
        try JSONDecoder().decode([String: String].self, from: try #require(Data(base64Encoded: base64)))
    }

    @Test("The hardware kinds are exactly those of Adobe's list")
    func hardwareTypes() {
        let list = """
            Camera DataCollectionTerminal Desktop EmbeddedNetworkModule eReader GamesConsole GeolocationTracker Glasses \
            MediaPlayer MobilePhone PaymentTerminal PluginModem SetTopBox TV Tablet WirelessHotspot Wristwatch Unknown
            """
        #expect(ClientInformation.HardwareType.allCases.map(\.rawValue) == list.split(separator: " ").map(String.init))
    }

    @Test(
        "Portable machines count as desktops, and tablets as tablets",
        arguments: [
            ("8", "Desktop"), ("9", "Desktop"), ("10", "Desktop"), ("14", "Desktop"), ("31", "Desktop"),
            ("30", "Tablet"),
            ("3", "Desktop"),
        ]
    )
    func chassis(type: String, name: String) throws {
        let folder = try Folder()
        try folder.file("sys/class/dmi/id/chassis_type", type + "\n")
        let client = ClientInformation.ofThisMachine(root: folder.path)
        #expect(try decoded(client.base64)["primaryHardwareType"] == name)
    }

    @Test("A model is always sent: product name, board, device tree or architecture")
    func model() throws {
        let folder = try Folder()
        var facts = utsname()
        #expect(unsafe uname(&facts) == 0)
        let architecture = unsafe withUnsafeBytes(of: facts.machine) {
            unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        func model() throws -> String? {
            try decoded(ClientInformation.ofThisMachine(root: folder.path).base64)["model"]
        }
        #expect(try model() == architecture)
        try folder.file("sys/firmware/devicetree/base/model", "Board 4 Model B\0")
        #expect(try model() == "Board 4 Model B")
        try folder.file("sys/class/dmi/id/board_name", "X570\n")
        #expect(try model() == "X570")
        try folder.file("sys/class/dmi/id/product_name", "To be filled by O.E.M.\n")
        #expect(try model() == "X570")
        var client = ClientInformation()
        #expect(try decoded(client.base64)["model"] == architecture)
        client.model = ""
        #expect(try decoded(client.base64)["model"] == architecture)
    }

    @Test("The header is URL-encoded base64 like the query; REST v2's is plain base64")
    func encoding() throws {
        // Its base64 contains +, / and =.
        let client = ClientInformation(model: "??>>~~\u{FB}\u{FF}?", applicationID: "a")
        let candidates = (0..<64).map {
            ClientInformation(model: String(repeating: "?", count: $0) + ">>>", applicationID: "\($0)")
        }
        let all = [client] + candidates
        for client in all {
            #expect(client.headerValue.allSatisfy { !"+/=".contains($0) })
            #expect(client.headerValue.removingPercentEncoding == client.base64)
            #expect(client.queryValue == client.headerValue)
            #expect(ClientOptions(client: client).headers["X-Device-Info"] == client.headerValue)
        }
        #expect(all.contains { $0.base64.contains("=") } && all.contains { $0.base64.contains("/") })
        var options = ClientOptions(client: client)
        try options.set(["device_info": "eyJtb2RlbCI6Ij8/PyJ9"])
        #expect(options.headers["X-Device-Info"] == "eyJtb2RlbCI6Ij8%2FPyJ9")
    }
}
