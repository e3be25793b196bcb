import CGLibSecret

/// Returns the names of all classes that are registered.
func registeredTypes() -> Set<String> {
    Set(typesDerived(from: objectType).map(name))
}

/// Returns the names of the types that a class's properties and signals name, and that implement interfaces themselves:
/// registering such a type needs the lock that making the class holds.
func namedTypes() -> Set<String> {
    var named: Set<GType> = []
    for type in typesDerived(from: objectType) {
        guard let klass = unsafe g_type_class_peek(type) else { continue }
        var count: guint = 0
        let properties = unsafe g_object_class_list_properties(klass.assumingMemoryBound(to: GObjectClass.self), &count)
        for index in 0..<Int(count) { unsafe named.insert(properties![index]!.pointee.value_type) }
        unsafe g_free(properties)
        let signals = unsafe g_signal_list_ids(type, &count)
        for index in 0..<Int(count) {
            var signal = unsafe GSignalQuery()
            unsafe g_signal_query(signals![index], &signal)
            for index in 0..<Int(unsafe signal.n_params) {
                // The lowest bit says that the argument is not copied.
                named.insert(unsafe signal.param_types[index] & ~1)
            }
        }
        unsafe g_free(signals)
    }
    return Set(named.filter(implementsInterfaces).map(name))
}

/// The type of `GObject`.
private let objectType = GType(20 << 2)

/// Returns a type and all types derived from it.
private func typesDerived(from type: GType) -> [GType] {
    var count: guint = 0
    let children = unsafe g_type_children(type, &count)
    defer { unsafe g_free(children) }
    return [type] + (0..<Int(count)).flatMap { index in typesDerived(from: unsafe children![index]) }
}

private func implementsInterfaces(_ type: GType) -> Bool {
    guard g_type_is_a(type, objectType) != 0 else { return false }
    var count: guint = 0
    unsafe g_free(g_type_interfaces(type, &count))
    return count > 0
}

private func name(_ type: GType) -> String {
    unsafe g_type_name(type).map { unsafe String(cString: $0) } ?? ""
}
