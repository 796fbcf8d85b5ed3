/// Small numbers for the few periods and windows that are open at once.
struct Ordinals: Sendable {
    private var values: [Int64] = []
    private var last = 0

    subscript(ordinal: Int) -> Int64 { values[ordinal] }

    /// - Precondition: fewer than 65,536 different values between two flushes; clients' times span 48 hours.
    mutating func ordinal(of value: Int64) -> UInt64 {
        if last < values.count, values[last] == value { return UInt64(last) }
        if let found = values.firstIndex(of: value) {
            last = found
        } else {
            precondition(values.count < 65_536, "more periods or windows are open than a flush can number")
            values.append(value)
            last = values.count - 1
        }
        return UInt64(last)
    }
}
