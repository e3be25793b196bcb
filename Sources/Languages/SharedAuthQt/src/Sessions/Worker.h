#pragma once

#include <functional>

/// The thread with the main context of GLib in which the objects of GLib are used. No code of an app runs on it.
///
/// It starts with the first function, and lives as long as the process.
namespace SharedAuth::Worker {

/// Runs a function on the thread, after the earlier ones. The function is destroyed there.
void post(std::function<void()> function);

/// Runs a function on the thread, after the earlier ones, and waits for its end.
void run(const std::function<void()> &function);

} // namespace SharedAuth::Worker
