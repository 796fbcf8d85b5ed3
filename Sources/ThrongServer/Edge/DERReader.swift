/// Reads values of DER one after another; nil if the bytes are none.
///
/// Source: X.690, section 8.1. Lengths of more than four bytes are not read: no certificate is that long.
struct DERReader {
    private var rest: ArraySlice<UInt8>

    /// Creates a reader of a value's content.
    init(_ bytes: some Sequence<UInt8>) { rest = Array(bytes)[...] }

    /// Returns the next value: its tag, and its content.
    mutating func next() -> (tag: UInt8, content: ArraySlice<UInt8>)? {
        guard let tag = rest.popFirst(), let first = rest.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            let count = Int(first & 0x7F)
            guard (1...4).contains(count), rest.count >= count else { return nil }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(count)
        }
        guard rest.count >= length else { return nil }
        defer { rest = rest.dropFirst(length) }
        return (tag, rest.prefix(length))
    }

    /// Returns the content of the next value; nil if that has another tag.
    mutating func content(_ tag: UInt8) -> ArraySlice<UInt8>? {
        guard let value = next(), value.tag == tag else { return nil }
        return value.content
    }

    /// Returns an object identifier in dotted form: "1.2.840.10045.4.3.2".
    static func name(of identifier: some Sequence<UInt8>) -> String {
        var arcs: [UInt64] = []
        var arc: UInt64 = 0
        for byte in identifier {
            arc = arc << 7 | UInt64(byte & 0x7F)
            guard byte < 0x80 else { continue }
            if arcs.isEmpty {
                let first = min(arc / 40, 2)
                arcs = [first, arc - 40 * first]
            } else {
                arcs.append(arc)
            }
            arc = 0
        }
        return arcs.map(String.init).joined(separator: ".")
    }
}
