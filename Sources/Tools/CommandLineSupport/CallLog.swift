internal import DesktopSupport
package import SecretService
package import SharedAuth

/// The output of `--verbose` on standard error: a line for each keyring call and for each step on an encrypted file. It
/// contains neither arguments nor replies, and so no secret.
package enum CallLog {
    /// Logs each call of a Secret Service.
    package static let calls = CallTrace { call in
        write("\(call.method) on \(call.subject)", call.time, failure: call.failure.map { "\($0)" })
    }

    /// Logs each step on a file.
    package static let fileSteps = FileStepInterceptor { step, proceed in
        let start = ContinuousClock.now
        let number = proceed()
        write("\(step.rawValue) on a file", start.duration(to: .now), failure: number == 0 ? nil : "error \(number)")
        return number
    }

    private static func write(_ what: String, _ time: Duration, failure: String?) {
        StandardError.write(line: "\(what): \(milliseconds(time)) ms\(failure.map { ", failed: \($0)" } ?? "")")
    }

    /// Formats a duration with one decimal place.
    private static func milliseconds(_ time: Duration) -> String {
        let tenths = (time.wholeMicroseconds + 50) / 100
        return "\(tenths / 10).\(tenths % 10)"
    }
}
