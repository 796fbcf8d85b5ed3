/// A coarsening: total, closed and idempotent.
///
/// Total: every value, also a missing one, has a bucket. Closed: the buckets are ``labels``, known before any event.
/// Idempotent: a bucket's label, sent as the value, lands in that bucket, so a client may coarsen on the device.
public protocol Bucketing: Sendable {
    /// The buckets, in display order; the last one is ``BucketLabel/other`` unless the rule has no need of it.
    var labels: [BucketLabel] { get }

    /// The bucket of a value: an index into ``labels``.
    ///
    /// - Complexity: no allocation on values seen before, except user agents on their first sight.
    func bucket(_ value: FieldValue) -> Int
}

/// Buckets whose value is their label and nothing else: a device that knows its own system says it by its label.
public struct LabelBucketing: Bucketing {
    private let buckets: LabelTable

    /// Takes the labels in display order, with or without ``BucketLabel/other`` at the end.
    ///
    /// - Throws: ``BucketingProblem`` where a label is malformed or repeated.
    public init(_ labels: [BucketLabel]) throws(BucketingProblem) {
        buckets = try LabelTable(labels.last == .other ? labels.dropLast() : labels)
    }

    /// The labels in display order; ``BucketLabel/other`` is the last.
    public var labels: [BucketLabel] { buckets.labels }

    /// The bucket whose label the value is, else `other`.
    public func bucket(_ value: FieldValue) -> Int { buckets[value] ?? buckets.other }
}

/// A bucketing whose labels stand in a table.
package protocol TabledBucketing: Bucketing { var buckets: LabelTable { get } }

extension TabledBucketing { package var labels: [BucketLabel] { buckets.labels } }

/// The labels of one bucketing, checked, and the way from a label's bytes back to its bucket.
package struct LabelTable: Sendable {
    /// The labels in display order; ``BucketLabel/other`` is the last.
    package let labels: [BucketLabel]
    private let table: ByteTable

    /// The most buckets that one dimension may have.
    static let limit = 4096

    /// Checks the labels and puts ``BucketLabel/other`` behind them.
    package init(_ named: some Collection<BucketLabel>) throws(BucketingProblem) {
        guard !named.isEmpty else { throw .noBuckets }
        guard named.count < Self.limit else { throw .tooManyBuckets(found: named.count + 1, limit: Self.limit) }
        labels = Array(named) + [.other]
        var table = ByteTable()
        for (bucket, label) in labels.enumerated() {
            guard label.isPrintable else { throw .malformedLabel(label.text) }
            guard table.insert(label.text, bucket) == nil else { throw .repeatedLabel(label.text) }
        }
        self.table = table
    }

    /// Checks labels given as texts.
    package init(_ texts: [String]) throws(BucketingProblem) { try self.init(texts.map { BucketLabel($0) }) }

    /// The bucket of everything else.
    package var other: Int { labels.count - 1 }

    /// The bucket whose label has these bytes.
    package subscript(bytes: UnsafeBufferPointer<UInt8>) -> Int? { table[bytes] }

    /// The bucket whose label has these bytes of a longer text.
    package subscript(bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int? { table[bytes] }

    /// The bucket whose label the value is, where it is text.
    package subscript(value: FieldValue) -> Int? {
        guard case .text(let text) = value else { return nil }
        return table[text.bytes]
    }
}

/// The name of a bucket; equal when the UTF-8 bytes are.
public struct BucketLabel: Hashable, Sendable, Codable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The text that analysts and readers see.
    public let text: String

    /// Wraps a label.
    public init(_ text: String) { self.text = text }
    /// A label written in source.
    public init(stringLiteral value: String) { self.init(value) }
    /// The bare label.
    public var description: String { text }

    /// The bucket of every value that has no bucket of its own, and of missing values.
    public static let other: BucketLabel = "other"

    /// Compares bytes, not canonical equivalents.
    public static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }
    /// Hashes the same bytes that ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(UInt8(0xff))
    }
    /// Reads the bare string.
    public init(from decoder: any Decoder) throws { self.init(try String(from: decoder)) }
    /// Writes the bare string.
    public func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }

    /// True if the label can stand in a table, a CSV file, a spreadsheet and SQL without surprising anyone.
    ///
    /// 1 to 64 bytes; no quotes, commas, semicolons, backslashes, bars, control or invisible characters; no space at
    /// either end; no first character that makes a spreadsheet read a formula (`=`, `+`, `-`, `@`; OWASP, "CSV Injection").
    public var isPrintable: Bool {
        let scalars = text.unicodeScalars
        guard let first = scalars.first, let last = scalars.last, text.utf8.count <= 64 else { return false }
        if "=+-@ ".unicodeScalars.contains(first) || last == " " { return false }
        return scalars.allSatisfy { scalar in
            if "\"'`,;\\|".unicodeScalars.contains(scalar) { return false }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate: return false
            case .spaceSeparator: return scalar == " "
            default: return true
            }
        }
    }
}

/// One raw field of an event, borrowed from the decoder for the length of a call. Never stored.
public enum FieldValue {
    /// The event has no such field, or it is null.
    case missing
    /// Text, as the UTF-8 bytes of the request.
    case text(FieldText)
    case integer(Int64)
    /// Any other finite number.
    case number(Double)
    /// true or false.
    case flag(Bool)

    /// The value as a finite number: a number, or text that is one ("390", "-2.5", "1e3"); nil for anything else.
    ///
    /// - Complexity: no allocation.
    package var numeric: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .number(let number): number.isFinite ? number : nil
        case .text(let text): Slice(base: text.bytes, bounds: text.bytes.indices).decimal
        case .missing, .flag: nil
        }
    }

    /// Lends the value's text: text as it came, whole numbers in decimal, flags as `true` and `false`; nil for the rest.
    ///
    /// - Complexity: no allocation on the heap.
    func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
        switch self {
        case .text(let text): return body(text.bytes)
        case .integer(let integer): return withDecimal(integer, body)
        case .number(let number):
            guard let integer = Int64(exactly: number) else { return nil }
            return withDecimal(integer, body)
        case .flag(let flag):
            let word: StaticString = flag ? "true" : "false"
            return word.withUTF8Buffer(body)
        case .missing: return nil
        }
    }

    private func withDecimal<Result>(_ integer: Int64, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var place = digits.count
            var rest = integer.magnitude
            repeat {
                place -= 1
                digits[place] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            } while rest > 0
            if integer < 0 {
                place -= 1
                digits[place] = UInt8(ascii: "-")
            }
            return body(UnsafeBufferPointer(rebasing: digits[place...]))
        }
    }
}

/// UTF-8 text that is borrowed, not copied; two are equal when their bytes are.
///
/// The bytes belong to the decoder's buffer and are valid only during the call that received them.
public struct FieldText {
    /// The borrowed bytes: valid UTF-8 without NUL.
    public let bytes: UnsafeBufferPointer<UInt8>

    /// Borrows bytes that the caller keeps alive.
    public init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
    /// The decimal number that is written here, all of it; nil where anything else is, or it is out of a double's range.
    ///
    /// Shape: `[+-] digits [. digits] [e [+-] digits]`. Exact for up to 15 digits and powers of ten to 22 (Clinger,
    /// "How to Read Floating Point Numbers Accurately", 1990); beyond, the last bit may be off.
    var decimal: Double? {
        var rest = self
        let negative = rest.first == UInt8(ascii: "-")
        if negative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        var mantissa: UInt64 = 0
        var exponent = 0
        var digits = 0
        var isFraction = false
        scan: while let byte = rest.first {
            switch byte {
            case _ where byte.isDigit:
                digits += 1
                if mantissa < 100_000_000_000_000_000 {
                    mantissa = mantissa * 10 + UInt64(byte - UInt8(ascii: "0"))
                    if isFraction { exponent -= 1 }
                } else if !isFraction {
                    exponent += 1
                }
            case UInt8(ascii: ".") where !isFraction: isFraction = true
            default: break scan
            }
            rest = rest.dropFirst()
        }
        guard digits > 0, let written = rest.writtenExponent else { return nil }
        exponent = Swift.min(Swift.max(exponent + written, -400), 400)
        let magnitude = Double(mantissa).scaled(byPowerOfTen: exponent)
        guard magnitude.isFinite else { return nil }
        return negative ? -magnitude : magnitude
    }

    /// `e5` as 5, nothing as 0, anything else as nil; clamped to ±10,000.
    private var writtenExponent: Int? {
        guard let first else { return 0 }
        guard first.lowercasedASCII == UInt8(ascii: "e") else { return nil }
        var rest = dropFirst()
        let negative = rest.first == UInt8(ascii: "-")
        if negative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        guard !rest.isEmpty else { return nil }
        var value = 0
        for byte in rest {
            guard byte.isDigit else { return nil }
            value = Swift.min(value * 10 + Int(byte - UInt8(ascii: "0")), 10_000)
        }
        return negative ? -value : value
    }
}

extension Double {
    /// This number times 10^exponent.
    func scaled(byPowerOfTen exponent: Int) -> Double {
        var value = self
        var left = exponent.magnitude
        while left > 0, value != 0, value.isFinite {
            // 10^22 is the largest power of ten that a double holds exactly.
            let step = Swift.min(left, 22)
            var power = 1.0
            for _ in 0..<step { power *= 10 }
            value = exponent < 0 ? value / power : value * power
            left -= step
        }
        return value
    }

    /// The shortest decimal that reads back as this number, whole numbers without a point.
    var shortestDecimal: String {
        if let integer = Int64(exactly: self), integer.magnitude < 1_000_000_000_000_000 { return String(integer) }
        return description
    }
}

extension String {
    /// Lends this string's bytes as a field value.
    package func withFieldValue<Result>(_ body: (FieldValue) throws -> Result) rethrows -> Result {
        var copy = self
        return try copy.withUTF8 { try body(.text(FieldText($0))) }
    }
}
