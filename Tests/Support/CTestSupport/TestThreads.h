#pragma once

/// Runs async code on up to 64 threads. Swift has as many threads for it as there are processors: on two, two tests that
/// wait for a process would keep all others from running.
void use_test_threads(void);
