import Synchronization

/// A cache of the families found for user agents seen before.
///
/// Its keys are 64-bit hashes under keys of this process's life, so that no user agent stays in memory longer than the
/// call that brought it. Two user agents have the same hash with a chance of 2^-54 or less. There are four places per
/// hash, 32,768 in all (1 MB, taken with the first entry); a fifth entry replaces one of the four.
final class UserAgentCache: Sendable {
    /// A user agent's keyed hash: SipHash of a ``TextDigest``.
    typealias Key = UInt64

    private struct Entry {
        var key: Key = 0
        var code: UserAgentCode?
    }

    private struct State {
        var entries: [Entry] = []
        var vocabulary: [BucketLabel: UInt16] = [:]
    }

    private let state = Mutex(State())
    private let digest = TextDigest()
    private let secret = UInt64.random(in: .min ... .max)

    private static let places = 32_768
    private static let ways = 4

    /// Returns the families' numbers, from one on. A new name empties the cache.
    func numbers(of families: [BucketLabel]) -> [UInt16] {
        state.withLock { state in
            families.map { family in
                if let known = state.vocabulary[family] { return known }
                let number = UInt16(clamping: state.vocabulary.count + 1)
                state.vocabulary[family] = number
                state.entries = []
                return number
            }
        }
    }

    /// Returns the code found before, or the one that `read` finds now; `read` runs outside of the lock.
    func code(
        of bytes: UnsafeBufferPointer<UInt8>, reading read: (UnsafeBufferPointer<UInt8>) -> UserAgentReading
    ) -> UserAgentCode {
        let key = key(of: bytes)
        if let known = code(of: key) { return known }
        let base = Self.base(of: key)
        let reading = read(bytes)
        return state.withLock { state in
            func number(_ family: String) -> UInt16 { state.vocabulary[BucketLabel(family)] ?? 0 }
            let code = UserAgentCode(
                browser: number(reading.browser), browserFamily: number(BrowserFamily.folded(reading.browser)),
                operatingSystem: number(reading.operatingSystem),
                operatingSystemFamily: number(OperatingSystemFamily.folded(reading.operatingSystem)),
                deviceClass: reading.deviceClass)
            if state.entries.isEmpty { state.entries = Array(repeating: Entry(), count: Self.places) }
            let free = (base..<base + Self.ways).first { state.entries[$0].code == nil }
            // Two bits that say nothing about the base choose among the four.
            state.entries[free ?? base + Int(key >> 62)] = Entry(key: key, code: code)
            return code
        }
    }

    /// Returns the code found before; nil if it is not known any more, or never was.
    func code(of bytes: UnsafeBufferPointer<UInt8>) -> UserAgentCode? { code(of: key(of: bytes)) }

    private func code(of key: Key) -> UserAgentCode? {
        let base = Self.base(of: key)
        return state.withLock { state in
            guard !state.entries.isEmpty else { return nil }
            for place in base..<base + Self.ways where state.entries[place].key == key {
                return state.entries[place].code
            }
            return nil
        }
    }

    /// The first of a key's places.
    private static func base(of key: Key) -> Int { Int(truncatingIfNeeded: key & UInt64(places / ways - 1)) * ways }

    private func key(of bytes: UnsafeBufferPointer<UInt8>) -> Key {
        // Hasher is SipHash with a random key of the process; the secret stays random where that one is switched off.
        var hasher = Hasher()
        hasher.combine(secret)
        hasher.combine(digest(bytes))
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}

/// A user agent's families as numbers of a ``UserAgentCache``'s vocabulary, 0 for one that nobody named; no part of
/// what a client sent can be read back from it.
package struct UserAgentCode: Sendable, Hashable {
    /// uap-core's own name, where a plan named that.
    var browser: UInt16 = 0
    var browserFamily: UInt16 = 0
    /// uap-core's own name, where a plan named that.
    var operatingSystem: UInt16 = 0
    var operatingSystemFamily: UInt16 = 0
    var deviceClass: DeviceClass = .other

    /// True if a bot or a tool sent it.
    package var isBot: Bool { deviceClass == .bot }
}

/// A short digest of a text, under a random key: a polynomial over the field of 2^61 - 1, whose coefficients are the
/// text's bytes, seven at a time, and its length.
///
/// Two texts of n bytes, chosen without the key, have the same digest with a chance below (n / 7 + 2) / 2^61. A digest
/// takes a tenth of the time of SipHash. It can be turned back if a text is short and the key is known: hash it before
/// it is kept.
///
/// Source: J. L. Carter and M. N. Wegman, Universal classes of hash functions, 1979.
struct TextDigest: Sendable {
    private static let prime: UInt64 = 1 << 61 - 1

    private let key = UInt64.random(in: 1..<prime)

    func callAsFunction(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        guard let base = UnsafeRawPointer(bytes.baseAddress) else { return 0 }
        var (sum, place) = (UInt64(bytes.count), 0)
        while place &+ 8 <= bytes.count {
            let word = base.loadUnaligned(fromByteOffset: place, as: UInt64.self).littleEndian
            sum = next(sum, word & (1 << 56 - 1))
            place &+= 7
        }
        // Seven bytes at most.
        var word: UInt64 = 0
        while place < bytes.count {
            word = word << 8 | UInt64(base.load(fromByteOffset: place, as: UInt8.self))
            place &+= 1
        }
        return next(sum, word)
    }

    /// The sum times the key, and the word: less than the prime, as all three are.
    @inline(__always) private func next(_ sum: UInt64, _ word: UInt64) -> UInt64 {
        let (high, low) = sum.multipliedFullWidth(by: key)
        // 2^61 is 1 in this field.
        let folded = (low & Self.prime) &+ (low &>> 61 | high &<< 3) &+ word
        let once = (folded & Self.prime) &+ (folded &>> 61)
        return once >= Self.prime ? once &- Self.prime : once
    }
}

/// A user agent to its browser's family, its operating system's family or its device's class. A class, so that its tables
/// are not copied for a value.
package final class UserAgentBucketing: TabledBucketing {
    typealias Part = BucketingRule.UserAgentPart

    package let buckets: LabelTable
    private let part: Part
    private let rules: UserAgentRules
    private let grammar: UserAgentGrammar
    /// Bucket by the number of a family; for device classes by their place among all cases.
    private let bucketOfNumber: [Int?]

    /// - Parameter families: the families to tell apart; unused for device classes.
    init(_ part: Part, families: [String], rules: UserAgentRules) throws(BucketingProblem) {
        self.part = part
        self.rules = rules
        grammar = try rules.grammar()
        buckets = try Self.table(part, families)
        let numbers = part == .deviceClass ? [] : rules.numbers(of: buckets.labels.dropLast())
        var bucketOfNumber: [Int?] = Array(repeating: nil, count: (numbers.max().map(Int.init) ?? 0) + 1)
        for (bucket, number) in numbers.enumerated() { bucketOfNumber[Int(number)] = bucket }
        self.bucketOfNumber = bucketOfNumber
    }

    /// The labels of a part, which need no rules; the standard families where none are named.
    static func table(_ part: Part, _ families: [String]) throws(BucketingProblem) -> LabelTable {
        switch part {
        case .browser: try LabelTable(families.isEmpty ? BrowserFamily.standard : families)
        case .operatingSystem: try LabelTable(families.isEmpty ? OperatingSystemFamily.standard : families)
        case .deviceClass: try LabelTable(DeviceClass.allCases.filter { $0 != .other }.map(\.rawValue))
        }
    }

    package func bucket(_ value: FieldValue) -> Int {
        guard case .text(let text) = value else { return buckets.other }
        return buckets[text.bytes] ?? bucket(rules.code(of: text.bytes, by: grammar))
    }

    /// Returns the families of a user agent that is no label, the same by all bucketings with these rules.
    ///
    /// - Returns: nil if that takes a long search, as on its first sight, and `atOnce` leaves no time for one.
    package func code(of text: UnsafeBufferPointer<UInt8>, atOnce: Bool) -> UserAgentCode? {
        atOnce ? rules.knownCode(of: text) : rules.code(of: text, by: grammar)
    }

    /// The bucket of a user agent's families.
    package func bucket(_ code: UserAgentCode) -> Int {
        switch part {
        case .browser: return bucket(code.browser, code.browserFamily)
        case .operatingSystem: return bucket(code.operatingSystem, code.operatingSystemFamily)
        case .deviceClass:
            switch code.deviceClass {
            case .phone: return 0
            case .tablet: return 1
            case .desktop: return 2
            case .bot: return 3
            case .other: return 4
            }
        }
    }

    /// uap-core's own name counts before the family that it is gathered into.
    private func bucket(_ own: UInt16, _ family: UInt16) -> Int {
        func found(_ number: UInt16) -> Int? { number < bucketOfNumber.count ? bucketOfNumber[Int(number)] : nil }
        return found(own) ?? found(family) ?? buckets.other
    }
}
