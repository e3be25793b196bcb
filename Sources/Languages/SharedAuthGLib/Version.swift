public import CSharedAuthGLib
internal import DesktopSupport

/// The three numbers of the version.
private let numbers = Version.current.split(separator: ".").map { guint($0)! }

/// Returns the first number of the version.
@c @implementation
public func shared_auth_get_major_version() -> guint { numbers[0] }

/// Returns the second number of the version.
@c @implementation
public func shared_auth_get_minor_version() -> guint { numbers[1] }

/// Returns the third number of the version.
@c @implementation
public func shared_auth_get_micro_version() -> guint { numbers[2] }

/// Returns whether the library is of a version or of a newer one.
@c @implementation
public func shared_auth_check_version(_ major: guint, _ minor: guint, _ micro: guint) -> gboolean {
    numbers.lexicographicallyPrecedes([major, minor, micro]) ? 0 : 1
}
