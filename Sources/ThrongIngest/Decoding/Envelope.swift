internal import CSimdJSON
internal import Glibc
internal import ThrongPlan
internal import ThrongWire

/// A batch's outer object: the nodes of its members, with their shapes checked.
///
/// A preview counts nothing and needs no identities: `id`, `batch` and `window` may be left out.
struct Envelope {
    /// The node of a string.
    let app: Int
    /// The node of a string.
    let purpose: Int
    let batch: BatchID
    /// The window's number; nil if a preview leaves it out.
    let window: Int64?
    /// The node of a string; nil if it is left out, see ``check(_:use:)``.
    let identifier: Int?
    /// The node of a string; nil if it is left out.
    let proof: Int?
    /// The node of the client's key, a string; nil if it has none.
    let key: Int?
    /// The version of the purpose that the person agreed to; nil if the batch has none.
    let consentVersion: Int64?
    /// True if the batch says that it is a test's.
    let isTest: Bool
    /// The node of an object.
    let context: Int?
    /// The node of a list with at least one element.
    let events: Int

    init(_ document: JSONDocument, limits: IntakeLimits, use: IntakeUse) throws(IntakeError) {
        guard document.isObject(0) else {
            if let flaw = document.flaw(in: document.nodes.indices) { throw document.error(of: flaw, limits: limits) }
            throw .wrongShape(pointer: "", expected: "an object")
        }
        var members = Members()
        var key = 1
        for _ in 0..<document.count(0) {
            guard members.take(document.bytes(key), value: key + 1) else {
                throw .wrongShape(
                    pointer: "",
                    expected:
                        "only app, batch, purpose, window, id, proof, key, consent_version, context, events and test")
            }
            key = document.next(key + 1)
        }
        let elements = members.events < 0 ? 0..<0 : members.events + 1..<document.next(members.events)
        let flaw =
            document.flaw(in: 0..<elements.lowerBound) ?? document.flaw(in: elements.upperBound..<document.nodes.count)
        if let flaw { throw document.error(of: flaw, limits: limits) }
        app = try Self.text(members.app, "/app", in: document)
        purpose = try Self.text(members.purpose, "/purpose", in: document)
        func isLeftOut(_ member: Int) -> Bool { use == .preview && member < 0 }
        batch = isLeftOut(members.batch) ? BatchID(high: 0, low: 0) : try Self.batch(members.batch, in: document)
        window = isLeftOut(members.window) ? nil : try Self.window(members.window, in: document)
        identifier = members.id < 0 ? nil : try Self.identifier(members.id, in: document)
        proof = members.proof < 0 ? nil : try Self.text(members.proof, "/proof", in: document)
        self.key = members.key < 0 ? nil : try Self.text(members.key, "/key", in: document)
        consentVersion = members.consent < 0 ? nil : try Self.version(members.consent, in: document)
        isTest = members.test < 0 ? false : try Self.flag(members.test, "/test", in: document)
        if members.context >= 0 {
            guard document.isObject(members.context) else {
                throw .wrongShape(pointer: "/context", expected: "an object")
            }
            context = members.context
        } else {
            context = nil
        }
        guard members.events >= 0, document.isArray(members.events), document.count(members.events) > 0 else {
            throw .wrongShape(pointer: "/events", expected: "a list of at least one event")
        }
        guard document.count(members.events) <= limits.eventsPerBatch else {
            throw .tooManyEvents(found: document.count(members.events), limit: limits.eventsPerBatch)
        }
        events = members.events
    }

    /// Refuses a batch without an identifier, and one with an identifier although its purpose has none: no client is to
    /// send one needlessly.
    func check(_ purpose: Purpose, use: IntakeUse) throws(IntakeError) {
        guard purpose.hasIdentifiers else {
            guard identifier == nil else { throw .identifierUnwanted }
            return
        }
        guard identifier != nil || use == .preview else { throw .wrongShape(pointer: "/id", expected: "a string") }
    }

    private static func batch(_ node: Int, in document: JSONDocument) throws(IntakeError) -> BatchID {
        guard let id = BatchID(hex: document.bytes(try text(node, "/batch", in: document))) else {
            throw .wrongShape(pointer: "/batch", expected: "32 hexadecimal digits")
        }
        return id
    }

    private static func version(_ node: Int, in document: JSONDocument) throws(IntakeError) -> Int64 {
        guard let version = document.integer(node), version >= 1 else {
            throw .wrongShape(pointer: "/consent_version", expected: "a whole number from 1")
        }
        return version
    }

    static func window(_ node: Int, in document: JSONDocument) throws(IntakeError) -> Int64 {
        guard node >= 0, let number = document.integer(node) else {
            throw .wrongShape(pointer: "/window", expected: "a whole number: floor(unix time / rotation)")
        }
        return number
    }

    static func identifier(_ node: Int, in document: JSONDocument) throws(IntakeError) -> Int {
        let identifier = try text(node, "/id", in: document)
        let (bytes, most) = (document.bytes(identifier), IntakeLimits.identifierCharacters)
        // Characters are counted as Unicode scalars: every byte that does not continue one. They are no more than bytes.
        guard !bytes.isEmpty, bytes.count <= most || bytes.count(where: { $0 & 0xC0 != 0x80 }) <= most else {
            throw .wrongShape(pointer: "/id", expected: "1 to \(IntakeLimits.identifierCharacters) characters")
        }
        return identifier
    }

    private static func flag(_ node: Int, _ pointer: String, in document: JSONDocument) throws(IntakeError) -> Bool {
        switch document.kind(node) {
        case THRONG_JSON_TRUE: return true
        case THRONG_JSON_FALSE: return false
        default: throw .wrongShape(pointer: pointer, expected: "true or false")
        }
    }

    static func text(_ node: Int, _ pointer: String, in document: JSONDocument) throws(IntakeError) -> Int {
        guard node >= 0, document.isString(node) else { throw .wrongShape(pointer: pointer, expected: "a string") }
        return node
    }

    /// The nodes of the members' values; -1 for an absent member.
    private struct Members {
        var app = -1
        var batch = -1
        var purpose = -1
        var window = -1
        var id = -1
        var proof = -1
        var key = -1
        var consent = -1
        var context = -1
        var events = -1
        var test = -1

        mutating func take(_ key: UnsafeBufferPointer<UInt8>, value: Int) -> Bool {
            if key.spells("app") {
                app = value
            } else if key.spells("batch") {
                batch = value
            } else if key.spells("purpose") {
                purpose = value
            } else if key.spells("window") {
                window = value
            } else if key.spells("id") {
                id = value
            } else if key.spells("proof") {
                proof = value
            } else if key.spells("key") {
                self.key = value
            } else if key.spells("consent_version") {
                consent = value
            } else if key.spells("context") {
                context = value
            } else if key.spells("events") {
                events = value
            } else if key.spells("test") {
                test = value
            } else {
                return false
            }
            return true
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// True if these bytes spell the word. Where it is called, its comparison becomes one or two of whole words.
    @inline(__always) func spells(_ word: StaticString) -> Bool {
        guard count == word.utf8CodeUnitCount, let baseAddress else { return false }
        return memcmp(baseAddress, word.utf8Start, word.utf8CodeUnitCount) == 0
    }
}
