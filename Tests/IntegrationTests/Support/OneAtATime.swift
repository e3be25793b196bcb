import Testing

/// Suites that keep the whole machine busy, with many processes or many calls: one test of theirs runs at a time, beside
/// the others.
@Suite(.serialized)
enum OneAtATime {}
