internal import CSharedAuthGLib

/// The Swift object behind a GObject, which holds the one reference to it.
///
/// GLib calls back from any thread; what a subclass changes after its construction is behind a lock.
class ObjectCore: @unchecked Sendable {
    /// Shows a property.
    func get(_ property: guint, into value: UnsafeMutablePointer<GValue>) {}

    /// Takes a property of construction.
    func set(_ property: guint, from value: UnsafePointer<GValue>) {}

    /// Runs once all properties of construction are there.
    func isConstructed(as object: UnsafeMutableRawPointer) {}

    /// Runs when the GObject is gone.
    func isFinalized() {}
}

/// A reference to a GObject, given up on a main context.
///
/// What ends with an object, such as a handler in Python, runs code of that language, which must not be on a thread of Swift's: when
/// Python exits, it ends the threads that come to it.
@safe final class ObjectReference: @unchecked Sendable {
    // Whose count of references is atomic; the pointer never changes.
    let pointer: UnsafeMutableRawPointer
    private let context: ContextReference

    /// Adds a reference.
    init(_ pointer: UnsafeMutableRawPointer, _ context: ContextReference) {
        unsafe self.pointer = pointer
        self.context = context
        unsafe g_object_ref(pointer)
    }

    /// Takes over the reference of the caller.
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

/// A reference to a GObject that does not keep it.
@safe final class WeakReference: @unchecked Sendable {
    // GLib protects it by a lock of its own.
    private let reference: UnsafeMutablePointer<GWeakRef>

    init(_ object: UnsafeMutableRawPointer) {
        unsafe reference = .allocate(capacity: 1)
        unsafe g_weak_ref_init(reference, object)
    }

    deinit {
        unsafe g_weak_ref_clear(reference)
        unsafe reference.deallocate()
    }

    /// The object, if it is still there.
    func object(_ context: ContextReference) -> ObjectReference? {
        guard let object = unsafe g_weak_ref_get(reference) else { return nil }
        return unsafe ObjectReference(taking: object, context)
    }
}

/// A main context, which stays while this does.
@safe final class ContextReference: @unchecked Sendable {
    // Any thread may use a GMainContext; the pointer never changes.
    private let pointer: OpaquePointer?

    /// The thread-default main context of the caller.
    init() { unsafe pointer = g_main_context_ref_thread_default() }

    deinit { unsafe g_main_context_unref(pointer) }

    /// Whether the caller is called by the context.
    var isCurrent: Bool { unsafe g_main_context_is_owner(pointer) != 0 }

    /// Runs `work` at the context's next iteration, after what was passed before.
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

/// Gives a GObject the core it has for life; for its instance function.
func install(_ core: ObjectCore, in instance: UnsafeMutableRawPointer?) {
    guard let instance = unsafe instance else { return }
    unsafe instance.assumingMemoryBound(to: SharedAuthInstance.self).pointee.core =
        Unmanaged.passRetained(core).toOpaque()
}

/// The core of a GObject of ours.
func core<Core: ObjectCore>(of object: UnsafeMutableRawPointer, as type: Core.Type = Core.self) -> Core {
    let pointer = unsafe object.assumingMemoryBound(to: SharedAuthInstance.self).pointee.core
    return unsafe unsafeDowncast(Unmanaged<ObjectCore>.fromOpaque(pointer!).takeUnretainedValue(), to: type)
}

/// Prepares a class whose instances have cores, and installs its properties, which are numbered from 1.
func prepareClass(_ klass: UnsafeMutableRawPointer?, _ properties: [UnsafeMutablePointer<GParamSpec>?] = unsafe []) {
    guard let klass = unsafe klass?.assumingMemoryBound(to: GObjectClass.self) else { return }
    unsafe klass.pointee.get_property = { object, property, value, _ in
        guard let object = unsafe object, let value = unsafe value else { return }
        unsafe core(of: object).get(property, into: value)
    }
    unsafe klass.pointee.set_property = { object, property, value, _ in
        guard let object = unsafe object, let value = unsafe value else { return }
        unsafe core(of: object).set(property, from: value)
    }
    unsafe klass.pointee.constructed = { object in
        guard let object = unsafe object else { return }
        unsafe objectClass.pointee.constructed?(object)
        unsafe core(of: object).isConstructed(as: object)
    }
    unsafe klass.pointee.finalize = { object in
        guard let object = unsafe object else { return }
        let instance = unsafe UnsafeMutableRawPointer(object).assumingMemoryBound(to: SharedAuthInstance.self)
        let core = unsafe Unmanaged<ObjectCore>.fromOpaque(instance.pointee.core!).takeRetainedValue()
        unsafe instance.pointee.core = nil
        core.isFinalized()
        unsafe objectClass.pointee.finalize?(object)
    }
    for index in unsafe properties.indices {
        unsafe g_object_class_install_property(klass, guint(index + 1), properties[index])
    }
}

/// The class of all objects, to whose functions ours go on: there is none with such functions between.
nonisolated(unsafe) private let objectClass: UnsafeMutablePointer<GObjectClass> =
    unsafe g_type_class_ref(shared_auth_glue_object_type())!.assumingMemoryBound(to: GObjectClass.self)

/// Registers a class of GObjects, once.
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

/// Makes an object with properties of construction; the reference is the caller's.
func makeObject(
    _ type: GType,
    texts: [(name: String, text: String?)] = [],
    objects: [(name: String, object: UnsafeMutableRawPointer?)] = unsafe []
) -> UnsafeMutableRawPointer? {
    var names: [UnsafePointer<CChar>?] = unsafe []
    var values: [GValue] = []
    for (name, text) in texts {
        var value = GValue()
        unsafe g_value_init(&value, GType(16 << 2))
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
    let made = unsafe g_object_new_with_properties(type, guint(count), &names, &values)
    for index in values.indices { unsafe g_value_unset(&values[index]) }
    return unsafe made.map { UnsafeMutableRawPointer($0) }
}
