internal import CommandLineSupport
internal import DesktopSupport
internal import SharedAuth
internal import SharedAuthFleet

/// The part of doctor's report about the roles of the person and of the person's devices.
struct RoleReport {
    private let findings: [SharedAuthFleet.Fleet.RoleFinding]

    init(_ findings: [SharedAuthFleet.Fleet.RoleFinding]) { self.findings = findings }

    /// Indicates whether something has to be done.
    var hasWarnings: Bool { findings.contains { $0.remedy != nil } }

    /// A line for each finding, with its remedy.
    var lines: [String] {
        findings.flatMap { finding in
            let head = (finding.remedy == nil ? "good" : "warning").padded(to: 9)
            return [head + finding.message] + (finding.remedy.map { ["         -> \($0)"] } ?? [])
        }
    }

    /// The findings as JSON.
    var json: JSONValue {
        .array(
            findings.map { finding in
                .object([
                    "finding": .string(finding.name), "role": .string(finding.role.name),
                    "device": JSONValue(finding.role.device), "message": .string(finding.message),
                    "remedy": JSONValue(finding.remedy),
                ])
            }
        )
    }
}

extension SharedAuthFleet.Fleet.Role {
    /// The command that prints the administrator's statements.
    var withdrawal: String { "sharedauth fleet withdraw \(name.quotedForShell)" }
}

extension SharedAuthFleet.Fleet.RoleFinding {
    fileprivate var role: SharedAuthFleet.Fleet.Role {
        switch self {
        case .withdrawn(let role), .notWithdrawn(let role), .unlisted(let role), .unused(let role), .refused(let role),
            .formerDevice(let role), .sameDevice(let role), .sharedRole(let role):
            role
        }
    }

    fileprivate var name: String {
        switch self {
        case .withdrawn: "withdrawn"
        case .notWithdrawn: "notWithdrawn"
        case .unlisted: "unlisted"
        case .unused: "unused"
        case .refused: "refused"
        case .formerDevice: "formerDevice"
        case .sameDevice: "sameDevice"
        case .sharedRole: "sharedRole"
        }
    }

    fileprivate var message: String {
        let name = role.name
        return switch self {
        case .withdrawn: "The role \(name) of a removed device was withdrawn."
        case .notWithdrawn: "The role \(name) of a removed device can still connect; the server serves it nothing."
        case .unlisted: "The server serves the role \(name) of a device that the fleet does not list."
        case .unused: "No device uses the role \(name)."
        case .refused: "The server refuses the role \(name) of a device that the fleet lists."
        case .formerDevice: "The server takes this device's role \(name) for that of another device."
        case .sameDevice: "The role \(name) and another one are of the same device, as they told the server."
        case .sharedRole:
            "Every device has its own role, and the role \(name), which is no device's, can still connect."
        }
    }

    /// The remedy; nil if nothing has to be done.
    fileprivate var remedy: String? {
        let run = "Ask the administrator to run what \(role.withdrawal) prints"
        return switch self {
        case .withdrawn: nil
        case .notWithdrawn, .unlisted: run + "."
        case .unused: run + ", unless a device is to be enrolled with it."
        case .sameDevice: run + " if no device uses it."
        case .sharedRole: run + "; the devices do not need it."
        case .refused, .formerDevice:
            "Ask the administrator to admit the role again, as the article about fleets tells."
        }
    }
}
