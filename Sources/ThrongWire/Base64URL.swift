package import Foundation

/// Base64url without padding, as identifiers and proofs travel.
///
/// Source: RFC 4648, section 5.
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Each character's value, indexed by the character; 64 for characters outside the alphabet.
    private static let values: [UInt8] = {
        var values = Array(repeating: UInt8(64), count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    package static func text(of bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var held: UInt32 = 0
        var bits = 0
        for byte in bytes {
            held = held << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int(held >> UInt32(bits) & 63)])
            }
        }
        if bits > 0 { text.append(alphabet[Int(held << UInt32(6 - bits) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the decoded bytes; nil for characters outside the alphabet, and for a spelling that ``text(of:)`` does
    /// not write: each value has exactly one text.
    package static func bytes(of text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var held: UInt32 = 0
        var bits = 0
        for character in text {
            let value = values[Int(character)]
            guard value < 64 else { return nil }
            held = held << 6 | UInt32(value)
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: held >> UInt32(bits)))
        }
        return held & (1 << UInt32(bits) - 1) == 0 ? bytes : nil
    }
}

extension Sequence<UInt8> {
    /// Two lower-case hexadecimal digits a byte.
    package var lowerHex: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}

extension [UInt8] {
    /// The bytes of an even number of hexadecimal digits; nil for anything else.
    package init?(hex: some StringProtocol) {
        let digits = hex.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        let values = digits.compactMap(\.self)
        self = stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}

extension JSONEncoder {
    /// An encoder that writes the same bytes for the same value.
    package static func stable(
        keys: KeyEncodingStrategy = .useDefaultKeys, _ more: OutputFormatting = []
    ) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = keys
        encoder.outputFormatting = more.union([.sortedKeys, .withoutEscapingSlashes])
        return encoder
    }
}

extension Encodable {
    /// The value as JSON with sorted keys: the same text for the same value.
    package var stableJSON: String {
        get throws { String(decoding: try JSONEncoder.stable().encode(self), as: UTF8.self) }
    }
}

extension Decoder {
    /// Reads a value from its text.
    ///
    /// - Throws: `DecodingError` with `flaw` if the text is none.
    func value<Value>(_ flaw: String, _ read: ([UInt8]) -> Value?) throws -> Value {
        let container = try singleValueContainer()
        guard let value = read(Array(try container.decode(String.self).utf8)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: flaw)
        }
        return value
    }
}
