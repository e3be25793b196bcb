import Testing

/// The suites on real providers: one test at a time, as each provider is one for all of them.
@Suite(.serialized)
enum OnEveryProvider {}
