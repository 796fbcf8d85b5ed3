internal import CSimdJSON
internal import ThrongPlan

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
            if word.spells("event") {
                name = key + 1
            } else if word.spells("at") {
                time = key + 1
            } else if word.spells("fields") {
                fields = key + 1
            } else if word.spells("count") {
                amount = key + 1
            } else if word.spells("firsts") {
                firsts = key + 1
            } else {
                throw OddEvent(pointer: "", member: member, expected: "only event, at, fields, count and firsts")
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
