import ThrongPlan
import ThrongSystem

/// A field value that owns its bytes, so that tests can keep it.
enum SampleValue: Sendable, CustomStringConvertible {
    case missing
    case text([UInt8])
    case integer(Int64)
    case number(Double)
    case flag(Bool)

    static func text(_ string: String) -> SampleValue { .text(Array(string.utf8)) }

    /// The bucket that a bucketing puts it into.
    func bucket(in bucketing: any Bucketing) -> Int {
        switch self {
        case .missing: bucketing.bucket(.missing)
        case .text(let bytes): bytes.withUnsafeBufferPointer { bucketing.bucket(.text(FieldText($0))) }
        case .integer(let integer): bucketing.bucket(.integer(integer))
        case .number(let number): bucketing.bucket(.number(number))
        case .flag(let flag): bucketing.bucket(.flag(flag))
        }
    }

    /// The label of that bucket.
    func label(in bucketing: any Bucketing) -> String { bucketing.labels[bucket(in: bucketing)].text }

    var description: String {
        switch self {
        case .missing: "missing"
        case .text(let bytes): String(decoding: bytes.prefix(200), as: UTF8.self).debugDescription
        case .integer(let integer): "integer \(integer)"
        case .number(let number): "number \(number)"
        case .flag(let flag): "flag \(flag)"
        }
    }
}

/// Values that nobody planned for.
enum NastyValues {
    /// Every one of these is tried on every bucketing.
    static let fixed: [SampleValue] =
        [.missing, .flag(true), .flag(false), .integer(0), .integer(.min), .integer(.max), .integer(-1)]
        + [0, -0.0, 0.1, 17.4, -1e308, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 1e18, 9.3e18, -9.3e18]
        .map { .number($0) }
        + [
            "", " ", "other", "Other", "OTHER", "other ", "e", "é", "e\u{301}", "\u{1F468}\u{200D}\u{1F469}", "null",
            "NaN",
            "inf", "-inf", "nan", "0x10", "1e999", "1e-999", "-", "+", ".", "-.", "1.", ".5", "1.2.3", "1e", "1e+",
            "--1",
            "99999999999999999999999999", "00000000", "x", "X", "1x", "x1", "1x1x1", "-1x-1", "1e400x2", "://", "//",
            "/",
            "///", "http://", "http:///", "http://@:/", "https://[::1]:80/x", "/product/", "/product//", "/product/:id",
            ":", "?", "#", "*", "/*", ".", "..", "a.", ".jpg", "/.jpg", "a/.jpg", "\\", "de", "de-", "-de", "d", "=1+1",
            "Mozilla/5.0 (", "((((((((((((((((", "<10", ">=", "UTC", "Etc/", "\u{FEFF}", "\u{202E}abc", "W00", "W54",
            "24",
        ].map { .text($0) }
        + [
            .text(Array(repeating: UInt8(ascii: "9"), count: 100_000)),
            .text(Array(repeating: UInt8(ascii: "/"), count: 100_000)),
            .text(Array(repeating: UInt8(ascii: "a"), count: 100_000)),
            .text(Array(String(repeating: "Mozilla/5.0 (;) Version/", count: 2_000).utf8)),
        ]

    /// Random values: scalars from all over Unicode, digits and punctuation, and mangled labels.
    static func random(_ count: Int, near labels: [BucketLabel], seed: UInt64) -> [SampleValue] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in
            switch Int.random(in: 0..<6, using: &generator) {
            case 0:
                .integer(
                    Int64.random(in: .min ... .max, using: &generator) >> Int64.random(in: 0..<63, using: &generator))
            case 1: .number(finite(&generator))
            case 2: .text(String(String.UnicodeScalarView((0..<length(&generator)).map { _ in scalar(&generator) })))
            case 3:
                .text(
                    (0..<length(&generator)).map { _ in
                        Array("0123456789.-+eExX/:?#*_ UTCWMozila".utf8).randomElement(using: &generator) ?? 0x20
                    })
            case 4: .text("\(finite(&generator))")
            default: mangled(labels.randomElement(using: &generator) ?? .other, &generator)
            }
        }
    }

    private static func length(_ generator: inout SeededGenerator) -> Int { Int.random(in: 0..<40, using: &generator) }

    private static func finite(_ generator: inout SeededGenerator) -> Double {
        let number = Double(bitPattern: generator.next())
        return number.isFinite ? number : 0
    }

    private static func scalar(_ generator: inout SeededGenerator) -> Unicode.Scalar {
        Unicode.Scalar(UInt32.random(in: 1...0x10FFFF, using: &generator)) ?? "\u{301}"
    }

    private static func mangled(_ label: BucketLabel, _ generator: inout SeededGenerator) -> SampleValue {
        var scalars = Array(label.text.unicodeScalars)
        let place = Int.random(in: 0...scalars.count, using: &generator)
        if Bool.random(using: &generator) || place == scalars.count {
            scalars.insert(scalar(&generator), at: place)
        } else {
            scalars.remove(at: place)
        }
        return .text(String(String.UnicodeScalarView(scalars)))
    }
}
