extension HTTPHeaders {
    /// The function that libsoup's `soup_message_headers_foreach` calls for each field.
    package typealias FieldFunction =
        @convention(c) (UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafeMutableRawPointer?) -> Void

    /// Reads the fields of a libsoup message.
    ///
    /// - Parameter forEach: Calls `soup_message_headers_foreach` with the function and its data.
    package init(reading forEach: (FieldFunction, UnsafeMutableRawPointer) -> Void) {
        let fields = HeaderFields()
        unsafe forEach(headerArrived, Unmanaged.passUnretained(fields).toOpaque())
        self.init(fields.list)
    }
}

/// Collects the fields.
private final class HeaderFields {
    var list: [(name: String, value: String)] = []
}

/// An `HTTPHeaders.FieldFunction` for `HeaderFields`.
private func headerArrived(
    _ name: UnsafePointer<CChar>?,
    _ value: UnsafePointer<CChar>?,
    _ data: UnsafeMutableRawPointer?
) {
    guard let name = unsafe name, let value = unsafe value, let data = unsafe data else { return }
    let fields = unsafe Unmanaged<HeaderFields>.fromOpaque(data).takeUnretainedValue()
    unsafe fields.list.append((String(cString: name), String(cString: value)))
}
