public import CSharedAuthGLib

// The pointers in C's declarations, under one name each.

/// `SharedAuthSession *`.
public typealias SessionPointer = UnsafeMutablePointer<SharedAuthSession>
/// `SharedAuthUser *`.
public typealias UserPointer = UnsafeMutablePointer<SharedAuthUser>
/// `GCancellable *`.
public typealias CancellablePointer = UnsafeMutablePointer<GCancellable>
/// `const char *`.
public typealias CText = UnsafePointer<CChar>
/// `GError **`.
public typealias ErrorReturn = UnsafeMutablePointer<UnsafeMutablePointer<GError>?>
