internal import DesktopSupport
internal import FoundationEssentials
internal import Glibc

/// A place where this program runs, and the user's browser probably does not.
enum Whereabouts: Hashable {
    /// A session over SSH, with the address and the port by which the client reached this machine.
    case ssh(address: String, port: String)
    /// Linux on Windows.
    case windows
    case container

    /// Returns the places by the signs that they leave.
    ///
    /// - Parameters:
    ///   - variable: Returns a variable of the environment.
    ///   - hasFile: Returns whether a file exists.
    static func all(_ variable: (String) -> String?, hasFile: (String) -> Bool) -> [Whereabouts] {
        var all: [Whereabouts] = []
        if let connection = variable("SSH_CONNECTION") {
            let words = connection.split(separator: " ").map(String.init)
            let isPlain = words.count == 4 && words.allSatisfy { $0.utf8.allSatisfy(isOfAddress) }
            all.append(isPlain ? .ssh(address: words[2], port: words[3]) : .ssh(address: "HOST", port: "22"))
        } else if variable("SSH_TTY") != nil {
            all.append(.ssh(address: "HOST", port: "22"))
        }
        if variable("WSL_DISTRO_NAME") != nil || hasFile("/proc/sys/fs/binfmt_misc/WSLInterop") { all.append(.windows) }
        let marks = ["/run/.containerenv", "/.dockerenv"]
        let variables = ["REMOTE_CONTAINERS", "CODESPACES", "KUBERNETES_SERVICE_HOST"]
        // Flatpak's runtime sets `container`, too, and its browser is this machine's.
        let isNamed = variable("container").map { $0 != "flatpak" } ?? false
        if isNamed || marks.contains(where: hasFile) || variables.contains(where: { variable($0) != nil }) {
            all.append(.container)
        }
        return all
    }

    /// The places of this process.
    static var here: [Whereabouts] {
        all {
            Environment[$0]
        } hasFile: { path in
            unsafe access(path, F_OK) == 0
        }
    }

    /// Returns what to do in this place if the redirect is to a port of this machine.
    func hint(port: Int, canPaste: Bool, canUseCode: Bool) -> String {
        let ways =
            [canPaste ? "paste the address of the page that fails" : "run it again with --paste"]
            + (canUseCode ? ["sign in with --device"] : [])
        let otherwise = ways.joined(separator: ", or ")
        return switch self {
        case .ssh(let address, let sshPort):
            "This is a session over SSH. For a browser on your machine, run this there first: "
                + "ssh -N -L \(port):127.0.0.1:\(port)\(sshPort == "22" ? "" : " -p \(sshPort)") \(address). Or \(otherwise)."
        case .windows:
            "This is Linux on Windows. If a browser of Windows cannot open 127.0.0.1:\(port) at the end, \(otherwise)."
        case .container:
            "This is a container. A browser outside it reaches port \(port) only with the host's network or a tunnel to "
                + "127.0.0.1:\(port) in it. Otherwise \(otherwise)."
        }
    }

    private static func isOfAddress(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "%"):
            true
        default: false
        }
    }
}
