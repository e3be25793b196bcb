/// Bytes of the system's random number generator, which cannot be guessed.
package func randomBytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in .random(in: .min ... .max) }
}
