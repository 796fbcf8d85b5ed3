extension Rational: CustomStringConvertible {
    /// The fraction as people and PostgreSQL write it: `3/7`, `-3/7`, and `10` for a whole number.
    package var description: String { denominator == 1 ? "\(numerator)" : "\(numerator)/\(denominator)" }

    /// Reads `1/2`, `0.5`, `3` and their negatives; nothing else.
    ///
    /// No exponent, no blank, no sign but one leading minus: a number that can be written in two ways can be
    /// misread in one.
    /// - Throws: ``NoiseError/notANumber``, ``NoiseError/zeroDenominator`` and ``NoiseError/overflow``.
    package init(parsing text: some StringProtocol) throws(NoiseError) {
        let bytes = Array(text.utf8)
        let isNegative = bytes.first == UInt8(ascii: "-")
        let digits = bytes.dropFirst(isNegative ? 1 : 0)
        let sign: Int128 = isNegative ? -1 : 1
        if let bar = digits.firstIndex(of: UInt8(ascii: "/")) {
            let above = try Self.natural(digits[..<bar])
            try self.init(sign * above, over: Self.natural(digits[(bar + 1)...]))
        } else if let point = digits.firstIndex(of: UInt8(ascii: ".")) {
            let decimals = digits[(point + 1)...]
            // Both sides of the point must have digits; together they are the numerator.
            guard !decimals.isEmpty, point > digits.startIndex else { throw .notANumber }
            let above = try Self.natural(digits[..<point] + decimals)
            var below: Int128 = 1
            for _ in decimals {
                let (next, overflow) = below.multipliedReportingOverflow(by: 10)
                guard !overflow else { throw .overflow }
                below = next
            }
            try self.init(sign * above, over: below)
        } else {
            try self.init(sign * Self.natural(digits), over: 1)
        }
    }

    private static func natural(_ digits: ArraySlice<UInt8>) throws(NoiseError) -> Int128 {
        guard !digits.isEmpty else { throw .notANumber }
        var number: Int128 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { throw .notANumber }
            let (tens, overflow) = number.multipliedReportingOverflow(by: 10)
            let (next, carry) = tens.addingReportingOverflow(Int128(digit - UInt8(ascii: "0")))
            guard !overflow, !carry else { throw .overflow }
            number = next
        }
        return number
    }
}

extension Rational: Codable {
    /// Reads the text that ``description`` writes.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        try self.init(parsing: container.decode(String.self))
    }

    /// Writes ``description``: a text, because JSON's numbers are read as floating point nearly everywhere.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
