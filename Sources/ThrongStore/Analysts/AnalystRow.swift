package import ThrongPlan

/// One row of a view: its buckets and its numbers, or the reason why they are withheld.
package struct AnalystRow: Sendable, Hashable {
    /// First second of its period.
    package let start: UnixSeconds
    /// The buckets, one a column of its margin.
    package let buckets: [String]
    /// The numbers, one a measure that was asked for; nil where there is none.
    package let numbers: [Number?]
    /// The reason why the numbers are withheld; null in the database where they are there.
    package let withheld: String?

    /// A number as PostgreSQL has it.
    package struct Number: Sendable, Hashable {
        /// The number in units of 10^-places.
        package let units: Int128
        /// Digits after the point.
        package let places: Int
    }
}

extension RowReader {
    /// Reads an instant as PostgreSQL sends it: microseconds since 2000.
    mutating func instant() throws(PostgresError) -> UnixSeconds {
        UnixSeconds(try integer() / 1_000_000 + 946_684_800)
    }

    /// Reads a number of the type numeric; nil for null, for what is no number, and for one that 128 bits don't hold.
    ///
    /// Source: PostgreSQL's numeric_send: the number of digits, the weight of the first, the sign, decimal places, then
    /// digits of base 10,000; all of two bytes, big-endian.
    mutating func numeric() throws -> AnalystRow.Number? {
        guard let bytes = try next([UInt8]?.self) else { return nil }
        let words = stride(from: 0, to: bytes.count - 1, by: 2).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
        guard words.count >= 4, words.count == 4 + words[0], words[2] == 0 || words[2] == 0x4000 else { return nil }
        let (weight, places) = (Int(Int16(truncatingIfNeeded: words[1])), words[3])
        var units: Int128 = 0
        func scaled(_ number: Int128, by factor: Int128, plus digit: Int128) -> Int128? {
            let (product, overflow) = number.multipliedReportingOverflow(by: factor)
            let (sum, overflows) = product.addingReportingOverflow(digit)
            return overflow || overflows ? nil : sum
        }
        for digit in words.dropFirst(4) {
            guard let next = scaled(units, by: 10_000, plus: Int128(digit)) else { return nil }
            units = next
        }
        // The last digit that was sent counts units of 10,000^(weight - how many + 1).
        var shift = 4 * (weight - words[0] + 1) + places
        while shift > 0 {
            guard let next = scaled(units, by: 10, plus: 0) else { return nil }
            (units, shift) = (next, shift - 1)
        }
        while shift < 0 { (units, shift) = (units / 10, shift + 1) }
        return AnalystRow.Number(units: words[2] == 0 ? units : -units, places: places)
    }
}
