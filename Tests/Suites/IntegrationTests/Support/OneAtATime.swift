import Testing

/// Suites that keep the processors busy, with many processes or many calls. One of their tests runs at a time, beside
/// tests of other suites.
@Suite(.serialized)
enum OneAtATime {}

/// Suites that try one fault after another, and wait for the keyring more than they compute. One of their tests runs at
/// a time, beside one of ``OneAtATime``.
@Suite(.serialized)
enum Sweeps {}
