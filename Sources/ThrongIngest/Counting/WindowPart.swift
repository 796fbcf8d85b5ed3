package import Crypto
package import ThrongPlan

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
//     progress       order, cell u32, period's ordinal u16, progress u16    OpenWindow.swift
//
// Numbers, by kind
//     head           the two numbers that batches' names are mixed with, first and last position, bytes of refusals
//     periods        first seconds of periods, by ordinal
//     withdrawn      of each: identifier (two), position of the request, whether it was done
//     end            the window's last position
//
// Parts of a window come in the order of their kinds, those of a metric together. Each is of another moment. The replay
// starts at a record before all of them, and repeats the effects of records behind `position`.

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

/// The name of a window: its app, purpose and number.
package struct WindowID: Hashable, Sendable, Comparable {
    package let app: AppName
    /// The purpose, whose rotation gives the window its length.
    package let purpose: PurposeName
    /// The length of the window.
    package let rotation: Rotation
    package let number: WindowNumber

    package init(app: AppName, purpose: PurposeName, rotation: Rotation, number: WindowNumber) {
        (self.app, self.purpose, self.rotation, self.number) = (app, purpose, rotation, number)
    }

    /// The instant from which on no batch of this window is accepted: the window after the next one has begun.
    package var over: UnixSeconds { rotation.start(of: WindowNumber(number.value + 2)) }

    /// Returns the window that takes over from a lost daemon's open one: another window, at the same time.
    ///
    /// - Parameter epoch: the number of the epoch that made other daemons its owners.
    package func taken(over epoch: Int64) -> WindowID {
        WindowID(app: app, purpose: purpose, rotation: rotation, number: number.taken(over: epoch))
    }

    /// The window as clients name it.
    package var asOpened: WindowID { WindowID(app: app, purpose: purpose, rotation: rotation, number: number.asOpened) }

    /// Orders by app, purpose and time.
    package static func < (left: Self, right: Self) -> Bool {
        (left.app, left.purpose, left.rotation.seconds, left.number)
            < (right.app, right.purpose, right.rotation.seconds, right.number)
    }
}

/// The random key of one window. Once it is destroyed, nothing keyed or encrypted with it can be read.
///
/// A class, because every batch and every record refers to it, on all threads at once.
package final class WindowKey: Sendable {
    /// The key's name in the journal; random, says nothing about the window.
    package let name: UInt64
    /// 256 random bits.
    package let secret: SymmetricKey
    /// An HMAC that has taken in the secret, and waits for a message.
    private let authenticator: HMAC<SHA256>

    package init(name: UInt64, secret: SymmetricKey) {
        self.name = name
        self.secret = secret
        authenticator = HMAC(key: secret)
    }

    /// Returns a fresh key; its secret is from the system's random source.
    package static func random(name: () -> UInt64 = { .random(in: 1 ... .max) }) -> WindowKey {
        WindowKey(name: max(1, name()), secret: SymmetricKey(size: .bits256))
    }

    /// Returns a client's identifier under this key: HMAC-SHA-256 cut to 128 bits.
    package func keyed(_ identifier: UnsafeRawBufferPointer) -> KeyedIdentifier {
        var authenticator = authenticator
        authenticator.update(data: identifier)
        return authenticator.finalize().withUnsafeBytes {
            KeyedIdentifier(
                high: $0.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
                low: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
    }

    /// Returns the receipt of a request for removal. It is the same whenever it is asked for, as long as the key
    /// exists, and differs from every other identifier's.
    package func receipt(of identifier: KeyedIdentifier) -> String {
        // No identifier begins with this byte, as all are UTF-8.
        ([0xFF] + identifier.bytes).withUnsafeBytes { keyed($0) }.bytes.lowerHex
    }
}

/// An identifier under a window's key; it means nothing outside that window.
package struct KeyedIdentifier: Hashable, Sendable {
    /// The first 64 bits.
    package let high: UInt64
    /// The last 64 bits.
    package let low: UInt64

    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// The placeholder for purposes without identifiers: the same for everybody, in every window.
    package static let nobody = KeyedIdentifier(high: 0, low: 0)

    fileprivate var bytes: [UInt8] {
        [high, low].flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
    }

    /// Returns a 64-bit hash of this identifier together with two words.
    ///
    /// The identifier's 128 bits are secret and uniform, so a folded multiplication of its halves with the two words
    /// is an almost-universal hash: two different inputs collide with a chance of about 2^-62. A collision makes a
    /// distinct count smaller, never larger.
    func hash(with first: UInt64, _ second: UInt64) -> UInt64 {
        let a = Self.folded(high ^ first, low ^ second)
        return Self.folded(a ^ high, second ^ 0x9E37_79B9_7F4A_7C15 ^ (low &+ first))
    }

    /// Returns the hash of this identifier in a cell of the tracked margin with a seed, in a period.
    func hash(in cell: CellIndex, of seed: UInt64, _ periodStart: UnixSeconds) -> UInt64 {
        hash(with: seed &+ UInt64(cell.value), UInt64(bitPattern: periodStart.value))
    }

    private static func folded(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
