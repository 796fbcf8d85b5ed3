// A part of an open window's state, as a checkpoint holds it. Numbers are little-endian.
//
//     offset  size  what
//     0       4     what it is: WindowPart.Kind
//     4       4     the metric's ordinal among the checkpoint's layouts; 0 if it has none
//     8       4     of a table: its first section
//     12      4     of a table: how many sections
//     16      8     position: up to this record everything is in it
//     24      ...   slots of a table in the order of their hashes, each as it lies in memory; or numbers of 8 bytes; or bytes
//
// Slots, by kind (order u64 is the hash)
//     batches        order, rest of the name u64, place u32, answer u32     AnsweredBatches.swift; mixed with `head`'s numbers
//     pairs, proved  order                                                  FlatSet
//     contributions  order, used u32, partition u32                         FlatTable.swift
//     progress       order, cell u32, period's ordinal u16, progress u16    WindowProgress.swift
//
// Numbers, by kind
//     head           the two numbers that batches' names are mixed with, first and last position, bytes of refusals
//     periods        first seconds of periods, by ordinal
//     withdrawn      of each: identifier (two), position of the request, whether it was done
//     end            the window's last position
//
// Parts of a window come in the order of their kinds, those of a metric together. Each is of another moment. The replay
// starts at a record before all of them, and repeats the effects of records behind `position`.

internal import ThrongPlan

/// A part of an open window's state: taken at one moment, and encoded at another.
package struct WindowPart: Sendable {
    enum Kind: UInt32, CaseIterable {
        case head = 1
        case refusals
        case batches
        case pairs
        case proved
        case contributions
        case progress
        case progressPeriods
        case withdrawn
        case end

        /// True if it is about single identifiers: once a window is over, nobody asks for that any more.
        var isOfIdentifiers: Bool {
            switch self {
            case .head, .refusals, .batches, .pairs, .proved, .contributions: true
            case .progress, .progressPeriods, .withdrawn, .end: false
            }
        }
    }

    struct Contents: Sendable {
        /// The number of a table's sections.
        var sections = 0
        let bytes: @Sendable (_ head: [UInt8]) -> [UInt8]
    }

    package let window: WindowID
    let kind: Kind
    let metric: Int
    let section: Int
    /// The last record that the part includes.
    package let through: JournalPosition
    let contents: Contents

    /// The start of a part, and its approximate size.
    struct Place: Sendable {
        /// Unit: sections, or bytes.
        var start = 0
        /// Unit: bytes.
        let bytes: Int
    }

    /// The usual size of parts, approximately. Unit: bytes.
    package static let standardBytes = 512 << 10
    static let headSize = 24
    /// The number of sections of every table.
    static let sectionCount = 1 << sectionBits
    static let sectionBits = 8

    /// The encoded part.
    ///
    /// - Complexity: O(bytes); counting goes on meanwhile.
    package var bytes: [UInt8] {
        var head: [UInt8] = []
        for number in [kind.rawValue, UInt32(metric), UInt32(section), UInt32(contents.sections)] {
            withUnsafeBytes(of: number.littleEndian) { head.append(contentsOf: $0) }
        }
        withUnsafeBytes(of: through.value.littleEndian) { head.append(contentsOf: $0) }
        return contents.bytes(head)
    }

    struct Loaded {
        let kind: Kind
        let metric: Int
        let sections: Range<Int>
        let through: JournalPosition
        let contents: UnsafeRawBufferPointer

        /// Returns nil if the bytes are not a part.
        init?(_ bytes: UnsafeRawBufferPointer) {
            guard bytes.count >= WindowPart.headSize else { return nil }
            func number(at offset: Int) -> UInt32 {
                UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            }
            guard let kind = Kind(rawValue: number(at: 0)) else { return nil }
            self.kind = kind
            metric = Int(number(at: 4))
            let first = Int(number(at: 8))
            sections = first..<first + Int(number(at: 12))
            through = JournalPosition(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)))
            contents = UnsafeRawBufferPointer(rebasing: bytes[WindowPart.headSize...])
        }

        var numbers: [Int64] {
            stride(from: 0, to: contents.count - contents.count % 8, by: 8).map {
                Int64(littleEndian: contents.loadUnaligned(fromByteOffset: $0, as: Int64.self))
            }
        }

        /// Fills sections of a table; false if the part does not fit it.
        func fill<Entry>(_ table: inout OrderedTable<Entry>) -> Bool {
            table.load(contents, sections: sections, through: through)
        }
    }
}

extension WindowPart.Contents {
    /// Returns some of a table's sections, from one on.
    static func sections<Entry>(of table: OrderedTable<Entry>, from place: WindowPart.Place) -> Self {
        let run = table.run(from: place.start, bytes: place.bytes)
        return Self(sections: run.count) { OrderedTable.bytes(of: run, after: $0) }
    }

    static func numbers(_ numbers: [Int64]) -> Self {
        Self { head in
            var bytes = head
            bytes.reserveCapacity(head.count + 8 * numbers.count)
            for number in numbers { withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) } }
            return bytes
        }
    }

    static func raw(_ contents: [UInt8]) -> Self { Self { $0 + contents } }
}
