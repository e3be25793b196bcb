import Testing

/// Suites that keep the machine's processors busy, with many processes or many calls: one test of theirs runs at a time,
/// while tests of other suites run.
@Suite(.serialized)
enum OneAtATime {}

/// Suites that try one fault after the other, and wait for the keyring more than they compute: one test of theirs runs at a
/// time, while a test of ``OneAtATime`` does.
@Suite(.serialized)
enum Sweeps {}
