/// Returns cryptographically secure random bytes.
package func randomBytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in .random(in: .min ... .max) }
}
