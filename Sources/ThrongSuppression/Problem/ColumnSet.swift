/// A set of columns, a bit each.
struct ColumnSet {
    private var words: [UInt64]

    init(width: Int) { words = Array(repeating: 0, count: (width + 63) / 64) }

    mutating func insert(_ column: UInt32) { words[Int(column) / 64] |= 1 << UInt64(column % 64) }

    func contains(_ column: UInt32) -> Bool { words[Int(column) / 64] & 1 << UInt64(column % 64) != 0 }

    /// Whether a member passes a test; ends at the first one.
    func contains(where test: (UInt32) -> Bool) -> Bool {
        for (place, word) in words.enumerated() {
            var rest = word
            while rest != 0 {
                if test(UInt32(place * 64 + rest.trailingZeroBitCount)) { return true }
                rest &= rest - 1
            }
        }
        return false
    }

    /// The members, ascending.
    var members: [UInt32] {
        var result: [UInt32] = []
        _ = contains {
            result.append($0)
            return false
        }
        return result
    }
}
