/// The version of the package; the one place that says it.
package enum Version {
    package static let current = "0.1.0"
}
