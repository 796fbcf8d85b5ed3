/// Writes the parts of a binary HTTP message, one after the other.
struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    /// A QUIC variable-length integer, in as few bytes as will do.
    mutating func add(_ number: Int) {
        switch number {
        case ..<(1 << 6): bytes.append(UInt8(number))
        case ..<(1 << 14): add(UInt64(number) | 1 << 14, count: 2)
        case ..<(1 << 30): add(UInt64(number) | 2 << 30, count: 4)
        default: add(UInt64(number) | 3 << 62, count: 8)
        }
    }

    private mutating func add(_ number: UInt64, count: Int) {
        for place in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(place)))) }
    }

    /// A length, and so many bytes.
    mutating func add(prefixed part: some Collection<UInt8>) {
        add(part.count)
        bytes += part
    }

    mutating func add(_ fields: [MessageField], _ framing: MessageFraming) {
        var section = MessageWriter()
        for field in fields {
            section.add(prefixed: field.name.utf8)
            section.add(prefixed: field.value.utf8)
        }
        switch framing {
        case .knownLength: add(prefixed: section.bytes)
        case .indeterminateLength:
            bytes += section.bytes
            add(0)
        }
    }

    /// Adds the parts behind the control data; returns the whole message, padded if so to its ``SizeClass``.
    consuming func ended(
        _ fields: [MessageField], _ content: [UInt8], _ trailers: [MessageField], _ framing: MessageFraming,
        isPadded: Bool
    ) -> [UInt8] {
        add(fields, framing)
        add(content: content, framing)
        add(trailers, framing)
        let size = isPadded ? SizeClass.bytes(holding: bytes.count) : 0
        return bytes + repeatElement(0, count: max(0, size - bytes.count))
    }

    private mutating func add(content: [UInt8], _ framing: MessageFraming) {
        if framing == .knownLength || !content.isEmpty { add(prefixed: content) }
        if framing == .indeterminateLength { add(0) }
    }
}
