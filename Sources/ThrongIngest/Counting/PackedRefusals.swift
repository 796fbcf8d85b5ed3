package import ThrongWire

/// A batch's refusals in few bytes: runs of neighbours that were refused for one reason.
///
/// Each run is the number of events between it and the run before, its length (both LEB128), and the reason's code.
package struct PackedRefusals: Sendable, Hashable {
    /// The packed form, as it is kept.
    package let bytes: [UInt8]

    /// A number of events that no batch exceeds.
    private static let mostEvents = 1 << 24

    /// Packs refusals.
    ///
    /// - Parameter refused: the refusals by ascending index.
    package init(_ refused: [BatchAnswer.Refusal]) {
        var bytes: [UInt8] = []
        var end = 0
        var place = 0
        while place < refused.count {
            let first = refused[place]
            var next = place + 1
            while next < refused.count, refused[next].reason == first.reason,
                refused[next].index == first.index + next - place
            { next += 1 }
            Self.add(first.index &- end, to: &bytes)
            Self.add(next - place, to: &bytes)
            bytes.append(first.reason.code)
            end = first.index + next - place
            place = next
        }
        self.bytes = bytes
    }

    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// The refusals by index; nil if the bytes are not packed refusals.
    package var refusals: [BatchAnswer.Refusal]? {
        var refused: [BatchAnswer.Refusal] = []
        var rest = bytes[...]
        var end = 0
        while !rest.isEmpty {
            guard let gap = Self.number(from: &rest), let count = Self.number(from: &rest),
                let reason = rest.popFirst().flatMap({ RefusalReason(code: $0) })
            else { return nil }
            let first = end &+ gap
            guard first >= 0, count > 0, first <= Self.mostEvents, count <= Self.mostEvents - first else { return nil }
            end = first + count
            for index in first..<end { refused.append(.init(index: index, reason: reason)) }
        }
        return refused
    }

    /// Appends a number as LEB128.
    static func add(_ number: Int, to bytes: inout [UInt8]) { bytes.append(leb128: UInt64(bitPattern: Int64(number))) }

    /// Removes a number from the front and returns it; nil if there is none.
    static func number(from bytes: inout ArraySlice<UInt8>) -> Int? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return Int(Int64(bitPattern: number)) }
        }
        return nil
    }
}

extension [UInt8] {
    /// Appends a number as LEB128.
    package mutating func append(leb128 number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}
