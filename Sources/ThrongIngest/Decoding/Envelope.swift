internal import CSimdJSON
internal import Glibc
package import ThrongPlan

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
        var (app, batch, purpose, window, id, proof) = (-1, -1, -1, -1, -1, -1)
        var (key, consent, context, events, test) = (-1, -1, -1, -1, -1)

        mutating func take(_ key: UnsafeBufferPointer<UInt8>, value: Int) -> Bool {
            switch true {
            case key.spells("app"): app = value
            case key.spells("batch"): batch = value
            case key.spells("purpose"): purpose = value
            case key.spells("window"): window = value
            case key.spells("id"): id = value
            case key.spells("proof"): proof = value
            case key.spells("key"): self.key = value
            case key.spells("consent_version"): consent = value
            case key.spells("context"): context = value
            case key.spells("events"): events = value
            case key.spells("test"): test = value
            default: return false
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

/// The flaw of an element of `events` that is not a valid event.
struct OddEvent: Error {
    /// The pointer from the element on, such as `/at`.
    let pointer: String
    /// The number of the member at fault, if the pointer does not name it.
    var member: Int?
    /// The node of that member's key.
    var key: Int?
    /// The expected shape, in words of the protocol, without quotation marks.
    let expected: String

    static var noTime: Self { Self(pointer: "/at", expected: "an RFC 3339 time such as 2026-11-21T10:02:11Z") }
}

/// One event of a batch: the nodes of its members, with their shapes checked.
struct WireEvent {
    /// The node of a string, or of an event that has it for its text.
    let name: Int
    let at: UnixSeconds
    /// The node of an object.
    let fields: Int?
    /// The node of an object.
    let firsts: Int?
    /// The count; 1 if the event has none.
    let count: UInt32
    /// True if it happened once, and claims no firsts.
    var isSingle: Bool { count == 1 && firsts == nil }

    init(
        _ document: JSONDocument, node: Int, limits: IntakeLimits, timestamps: inout TimestampReader
    ) throws(OddEvent) {
        if document.isEvent(node) {
            (name, firsts, count) = (node, nil, 1)
            fields = document.next(node) > node + 2 ? node + 2 : nil
            guard let at = timestamps.instant(document.bytes(node + 1)) else { throw .noTime }
            self.at = at
            return
        }
        func problem(_ member: String, _ expected: String) -> OddEvent { OddEvent(pointer: member, expected: expected) }
        if document.isFlawed, let flaw = document.flaw(in: node..<document.next(node)) {
            let place = document.place(of: flaw, in: node)
            throw OddEvent(
                pointer: place.pointer, member: place.member, key: place.key,
                expected: document.expected(insteadOf: flaw, limits: limits))
        }
        guard document.isObject(node) else { throw problem("", "an object") }
        var name = -1
        var time = -1
        var fields: Int?
        var firsts: Int?
        var amount = -1
        var key = node + 1
        for member in 0..<document.count(node) {
            let word = document.bytes(key)
            switch true {
            case word.spells("event"): name = key + 1
            case word.spells("at"): time = key + 1
            case word.spells("fields"): fields = key + 1
            case word.spells("count"): amount = key + 1
            case word.spells("firsts"): firsts = key + 1
            default: throw OddEvent(pointer: "", member: member, expected: "only event, at, fields, count and firsts")
            }
            key = document.next(key + 1)
        }
        guard name >= 0, document.isString(name) else { throw problem("/event", "a string") }
        self.name = name
        guard time >= 0, document.isString(time), let at = timestamps.instant(document.bytes(time)) else {
            throw .noTime
        }
        self.at = at
        if let fields, !document.isObject(fields) { throw problem("/fields", "an object") }
        self.fields = fields
        if let firsts, !document.isObject(firsts) { throw problem("/firsts", "an object") }
        self.firsts = firsts
        if amount >= 0 {
            guard let number = document.integer(amount), number >= 1, number <= Int64(limits.countPerEvent) else {
                throw problem("/count", "a whole number from 1 to \(limits.countPerEvent)")
            }
            count = UInt32(number)
        } else {
            count = 1
        }
    }
}

/// Reads RFC 3339 timestamps from bytes, without allocation. It remembers the last date, as most are of one day.
package struct TimestampReader {
    /// The ten bytes of the last date, as two numbers.
    private var date: (UInt64, UInt16) = (0, 0)
    /// The last date. Unit: days since 1970-01-01.
    private var days: Int64 = 0
    /// The sixteen bytes before the seconds of the last time in UTC without a fraction, as two numbers, and their instant.
    private var minute: (UInt64, UInt64) = (.max, .max)
    private var start = UnixSeconds.epoch

    package init() {}

    /// Returns an instant, fractions dropped; nil for anything but `YYYY-MM-DDTHH:MM:SS[.fraction](Z|±HH:MM)`.
    ///
    /// A leap second counts as the second after it.
    package mutating func instant(_ bytes: UnsafeBufferPointer<UInt8>) -> UnixSeconds? {
        let raw = UnsafeRawBufferPointer(bytes)
        guard raw.count == 20 else { return read(raw) }
        let written = (raw.loadUnaligned(as: UInt64.self), raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        if written == minute, let second = Self.second(raw) { return start + second }
        guard let instant = read(raw) else { return nil }
        if let second = Self.second(raw) { (minute, start) = (written, instant - second) }
        return instant
    }

    private mutating func read(_ bytes: UnsafeRawBufferPointer) -> UnixSeconds? {
        guard bytes.count >= 20, bytes.count <= 40 else { return nil }
        func number(_ start: Int, _ digits: Int) -> Int? {
            var value = 0
            for offset in start..<start + digits {
                let digit = Int(bytes[offset]) - 48
                guard (0...9).contains(digit) else { return nil }
                value = value * 10 + digit
            }
            return value
        }
        func holds(_ character: Unicode.Scalar, _ offset: Int) -> Bool { bytes[offset] == UInt8(ascii: character) }
        let written = (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt16.self))
        if written != date {
            guard let year = number(0, 4), holds("-", 4), let month = number(5, 2), holds("-", 7),
                let day = number(8, 2), let known = CalendarDate(year: year, month: month, day: day)
            else { return nil }
            (date, days) = (written, known.daysSince1970)
        }
        guard holds("T", 10) || holds("t", 10) || holds(" ", 10), let second = Self.secondOfDay(bytes) else {
            return nil
        }
        var offset = 19
        if holds(".", offset) {
            offset += 1
            let first = offset
            while offset < bytes.count, (48...57).contains(bytes[offset]) { offset += 1 }
            guard offset > first, offset < bytes.count else { return nil }
        }
        let local = UnixSeconds(days * 86_400 + second)
        if holds("Z", offset) || holds("z", offset) { return offset + 1 == bytes.count ? local : nil }
        guard offset + 6 == bytes.count, holds("+", offset) || holds("-", offset), let hours = number(offset + 1, 2),
            holds(":", offset + 3), let minutes = number(offset + 4, 2), hours < 24, minutes < 60
        else { return nil }
        let shift = Int64(hours * 3600 + minutes * 60)
        return holds("+", offset) ? local - shift : local + shift
    }

    /// Returns the seconds of a text whose last four bytes are `:SSZ`, but for a leap second; nil for any other end.
    @inline(__always) private static func second(_ text: UnsafeRawBufferPointer) -> Int64? {
        let digits = UInt32(littleEndian: text.loadUnaligned(fromByteOffset: 16, as: UInt32.self)) ^ 0x5a30_303a
        let (tens, ones) = (digits >> 8 & 0xff, digits >> 16 & 0xff)
        return digits & 0xff00_00ff == 0 && tens < 6 && ones < 10 ? Int64(tens * 10 + ones) : nil
    }

    /// Returns the seconds that `HH:MM:SS` at the twelfth byte stands for, from all eight bytes at once.
    @inline(__always) private static func secondOfDay(_ text: UnsafeRawBufferPointer) -> Int64? {
        let clock = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: 11, as: UInt64.self))
        // Digits become their values and colons 0; what is added brings anything larger to its byte's highest bit.
        let digits = clock ^ 0x3030_3a30_303a_3030
        guard (digits | (digits &+ 0x7676_7f76_767f_7676)) & 0x8080_8080_8080_8080 == 0 else { return nil }
        // In its first byte a pair is now the number that it spells.
        let pairs = digits &* 10 &+ digits >> 8
        let (hour, minute, second) = (Int64(pairs & 0xff), Int64(pairs >> 24 & 0xff), Int64(pairs >> 48 & 0xff))
        return hour < 24 && minute < 60 && second <= 60 ? hour * 3600 + minute * 60 + second : nil
    }
}
