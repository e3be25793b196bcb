internal import CSharedAuthGLib

/// The Swift object that implements a GObject. The GObject holds the only permanent reference to it.
///
/// GLib may call from any thread, so subclasses protect their mutable state with a lock.
class ObjectCore: @unchecked Sendable {
    /// Copies a property to `value`.
    func getProperty(_ property: guint, into value: UnsafeMutablePointer<GValue>) {}

    /// Sets a construct-only property from `value`.
    func setProperty(_ property: guint, from value: UnsafePointer<GValue>) {}

    /// Called after all construct-only properties are set.
    func constructed(_ object: UnsafeMutableRawPointer) {}

    /// Called when the GObject is to drop its references, perhaps several times. It can still be used afterwards.
    func disposed() {}

    /// Called when the GObject is finalized.
    func finalized() {}
}

/// A reference to a GObject that is released in a main context.
///
/// Releasing the last reference may run code of the app's language, such as the finalizer of a Python handler. That
/// code must not run on a Swift thread: when the interpreter exits, Python terminates other threads that call it.
@safe final class ObjectReference: @unchecked Sendable {
    // Never changes; GObject's reference count is atomic.
    let pointer: UnsafeMutableRawPointer
    private let context: ContextReference

    /// Takes a new reference.
    init(_ pointer: UnsafeMutableRawPointer, _ context: ContextReference) {
        unsafe self.pointer = pointer
        self.context = context
        unsafe g_object_ref(pointer)
    }

    /// Takes over the caller's reference.
    init(taking pointer: UnsafeMutableRawPointer, _ context: ContextReference) {
        unsafe self.pointer = pointer
        self.context = context
    }

    deinit {
        if context.isCurrent {
            unsafe g_object_unref(pointer)
        } else {
            nonisolated(unsafe) let pointer = unsafe pointer
            context.invoke { unsafe g_object_unref(pointer) }
        }
    }
}

/// A weak reference to a GObject.
@safe final class WeakReference: @unchecked Sendable {
    // GLib protects it with a lock.
    private let reference: UnsafeMutablePointer<GWeakRef>

    init(_ object: UnsafeMutableRawPointer) {
        unsafe reference = .allocate(capacity: 1)
        unsafe g_weak_ref_init(reference, object)
    }

    deinit {
        unsafe g_weak_ref_clear(reference)
        unsafe reference.deallocate()
    }

    /// Returns the object, or nil if it was finalized.
    func object(_ context: ContextReference) -> ObjectReference? {
        guard let object = unsafe g_weak_ref_get(reference) else { return nil }
        return unsafe ObjectReference(taking: object, context)
    }
}

/// A strong reference to a main context.
@safe final class ContextReference: @unchecked Sendable {
    // Never changes; GMainContext is thread-safe.
    private let pointer: OpaquePointer?

    /// References the caller's thread-default main context.
    init() { unsafe pointer = g_main_context_ref_thread_default() }

    deinit { unsafe g_main_context_unref(pointer) }

    /// Indicates whether the calling thread owns the context.
    var isCurrent: Bool { unsafe g_main_context_is_owner(pointer) != 0 }

    func isSame(as other: ContextReference) -> Bool { unsafe pointer == other.pointer }

    /// Keeps other threads from running the context, until `release()`.
    ///
    /// - Returns: False if another thread runs it.
    func acquire() -> Bool { unsafe g_main_context_acquire(pointer) != 0 }

    func release() { unsafe g_main_context_release(pointer) }

    /// Schedules `work` in the context, after previously scheduled work.
    func invoke(_ work: @escaping @Sendable () -> Void) {
        let source = unsafe g_idle_source_new()
        unsafe g_source_set_priority(source, G_PRIORITY_DEFAULT)
        let box = unsafe Unmanaged.passRetained(Work(work))
        unsafe g_source_set_callback(
            source,
            { data in
                unsafe Unmanaged<Work>.fromOpaque(data!).takeUnretainedValue().run()
                return 0
            },
            box.toOpaque(),
            { data in unsafe Unmanaged<Work>.fromOpaque(data!).release() }
        )
        unsafe g_source_attach(source, pointer)
        unsafe g_source_unref(source)
    }

    private final class Work: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}

/// Sets the core of a GObject. Called by the class's instance function, after that of its parent class, whose core it
/// replaces.
func install(_ core: ObjectCore, in instance: UnsafeMutableRawPointer?) {
    guard let instance = unsafe instance?.assumingMemoryBound(to: SharedAuthInstance.self) else { return }
    if let former = unsafe instance.pointee.core { unsafe Unmanaged<ObjectCore>.fromOpaque(former).release() }
    unsafe instance.pointee.core = Unmanaged.passRetained(core).toOpaque()
}

/// Returns the core of a GObject of this library.
func core<Core: ObjectCore>(of object: UnsafeMutableRawPointer, as type: Core.Type = Core.self) -> Core {
    let pointer = unsafe object.assumingMemoryBound(to: SharedAuthInstance.self).pointee.core
    return unsafe unsafeDowncast(Unmanaged<ObjectCore>.fromOpaque(pointer!).takeUnretainedValue(), to: type)
}

/// Connects the virtual functions of a class to the cores of its instances, and installs its properties, which are
/// numbered from 1.
func prepareClass(_ klass: UnsafeMutableRawPointer?, _ properties: [UnsafeMutablePointer<GParamSpec>?] = unsafe []) {
    guard let klass = unsafe klass?.assumingMemoryBound(to: GObjectClass.self) else { return }
    unsafe klass.pointee.get_property = { object, property, value, _ in
        guard let object = unsafe object, let value = unsafe value else { return }
        unsafe core(of: object).getProperty(property, into: value)
    }
    unsafe klass.pointee.set_property = { object, property, value, _ in
        guard let object = unsafe object, let value = unsafe value else { return }
        unsafe core(of: object).setProperty(property, from: value)
    }
    unsafe klass.pointee.constructed = { object in
        guard let object = unsafe object else { return }
        unsafe objectClass.pointee.constructed?(object)
        unsafe core(of: object).constructed(object)
    }
    unsafe klass.pointee.dispose = { object in
        guard let object = unsafe object else { return }
        unsafe core(of: object).disposed()
        unsafe objectClass.pointee.dispose?(object)
    }
    unsafe klass.pointee.finalize = { object in
        guard let object = unsafe object else { return }
        let instance = unsafe UnsafeMutableRawPointer(object).assumingMemoryBound(to: SharedAuthInstance.self)
        let core = unsafe Unmanaged<ObjectCore>.fromOpaque(instance.pointee.core!).takeRetainedValue()
        unsafe instance.pointee.core = nil
        core.finalized()
        unsafe objectClass.pointee.finalize?(object)
    }
    for index in unsafe properties.indices {
        unsafe g_object_class_install_property(klass, guint(index + 1), properties[index])
    }
}

/// The class `GObject`, whose virtual functions the classes of this library call. No class in between overrides them.
nonisolated(unsafe) private let objectClass: UnsafeMutablePointer<GObjectClass> =
    unsafe g_type_class_ref(shared_auth_glue_object_type())!.assumingMemoryBound(to: GObjectClass.self)

/// Registers a GObject class. Call it once per class.
func registerClass<Class, Instance>(
    _ name: String,
    parent: GType = shared_auth_glue_object_type(),
    _ klass: Class.Type,
    _ instance: Instance.Type,
    flags: GTypeFlags = GTypeFlags(rawValue: 0),
    classFunction: GClassInitFunc?,
    instanceFunction: GInstanceInitFunc?
) -> GType {
    unsafe g_type_register_static_simple(
        parent,
        name,
        guint(MemoryLayout<Class>.size),
        classFunction,
        guint(MemoryLayout<Instance>.size),
        instanceFunction,
        flags
    )
}

/// Creates an object with construct-only properties. The caller owns the returned reference.
func makeObject(
    _ type: GType,
    texts: [(name: String, text: String?)] = [],
    objects: [(name: String, object: UnsafeMutableRawPointer?)] = unsafe []
) -> UnsafeMutableRawPointer? {
    var names: [CText?] = unsafe []
    var values: [GValue] = []
    for (name, text) in texts {
        var value = GValue()
        unsafe g_value_init(&value, fundamental(16))
        unsafe g_value_set_string(&value, text)
        values.append(value)
        unsafe names.append(g_intern_string(name))
    }
    for index in unsafe objects.indices {
        var value = GValue()
        unsafe g_value_init(&value, shared_auth_glue_object_type())
        unsafe g_value_set_object(&value, objects[index].object)
        values.append(value)
        unsafe names.append(g_intern_string(objects[index].name))
    }
    let count = values.count
    let object = unsafe g_object_new_with_properties(type, guint(count), &names, &values)
    for index in values.indices { unsafe g_value_unset(&values[index]) }
    return unsafe object.map { UnsafeMutableRawPointer($0) }
}
