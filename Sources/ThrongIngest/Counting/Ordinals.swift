/// Small numbers for repeated values, in the order in which they first came: as many as memory holds.
///
/// - Complexity: O(1); the value of the call before, and the first few, are found without hashing.
struct Ordinals<Value: Hashable & Sendable>: Sendable {
    private var values: [Value] = []
    /// The numbers of all values but the first few.
    private var ordinals: [Value: Int] = [:]
    private var last = 0

    private static var few: Int { 8 }

    init() {}

    /// Creates the same numbers again from the values in their order.
    init(_ values: [Value]) { for value in values { _ = ordinal(of: value) } }

    /// All values, in the order of their numbers.
    var all: [Value] { values }

    subscript(ordinal: Int) -> Value { values[ordinal] }

    /// Returns the number of a value, which is added if it is new. It is below 2^32: a number takes more than 16 bytes.
    mutating func ordinal(of value: Value) -> UInt64 {
        if last < values.count, values[last] == value { return UInt64(last) }
        if let found = values.prefix(Self.few).firstIndex(of: value) ?? ordinals[value] {
            last = found
        } else {
            last = values.count
            values.append(value)
            if last >= Self.few { ordinals[value] = last }
        }
        return UInt64(last)
    }
}
