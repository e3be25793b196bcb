import Testing

// Suites that take minutes. Of each of these four, one test runs at a time, beside tests of other suites.

/// Suites that keep the processors busy, with many processes or many calls.
@Suite(.serialized)
enum OneAtATime {}

/// Suites that kill a process at every step.
@Suite(.serialized)
enum Crashes {}

/// Suites that let one call of the store after another fail, and wait for the keyring more than they compute.
@Suite(.serialized)
enum Sweeps {}

/// Suites that disturb one message on the bus after another.
@Suite(.serialized)
enum WireSweeps {}
