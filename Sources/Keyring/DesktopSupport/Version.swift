/// The version of the package. It is defined only here.
package enum Version {
    package static let current = "0.1.0"
}
