internal import DesktopSupport
package import SecretService
package import SharedAuth

/// What `--verbose` says on standard error: a line for each call of the keyring that was answered, and for each step on
/// an encrypted file. Neither arguments nor answers are in it, so no secret is.
package enum CallLog {
    /// Says each call of a Secret Service.
    package static let calls = CallTrace { call in
        write("\(call.method) on \(call.subject)", call.time, failure: call.failure.map { "\($0)" })
    }

    /// Says each step on a file.
    package static let fileSteps = FileStepInterceptor { step, proceed in
        let start = ContinuousClock.now
        let number = proceed()
        write("\(step.rawValue) on a file", start.duration(to: .now), failure: number == 0 ? nil : "error \(number)")
        return number
    }

    private static func write(_ what: String, _ time: Duration, failure: String?) {
        StandardError.write(line: "\(what): \(milliseconds(time)) ms\(failure.map { ", failed: \($0)" } ?? "")")
    }

    /// With one digit after the point.
    private static func milliseconds(_ time: Duration) -> String {
        let tenths = (time.wholeMicroseconds + 50) / 100
        return "\(tenths / 10).\(tenths % 10)"
    }
}
