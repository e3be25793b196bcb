import Testing

/// Suites that keep the whole machine busy with processes: one test of theirs runs at a time, beside the others.
@Suite(.serialized, .timeLimit(.minutes(5)))
enum OneAtATime {}
