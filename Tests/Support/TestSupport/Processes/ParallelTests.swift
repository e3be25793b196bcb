// Links the limit for parallel tests into each test program.
internal import ParallelTests
