extension SuppressionPattern.Witness {
    /// Leaves that differ, ascending, in half the memory of an array; large tables have many.
    package struct Changes: Sendable, Hashable, RandomAccessCollection {
        private let leaves: [UInt32]
        private let amounts: Amounts

        private enum Amounts: Sendable, Hashable {
            case narrow([Int32])
            case wide([Int64])
        }

        init(_ changes: [Change]) {
            leaves = changes.map(\.leaf.value)
            let isNarrow = changes.allSatisfy { Int32(exactly: $0.amount) != nil }
            amounts = isNarrow ? .narrow(changes.map { Int32($0.amount) }) : .wide(changes.map(\.amount))
        }

        package var startIndex: Int { 0 }
        package var endIndex: Int { leaves.count }

        package subscript(place: Int) -> Change {
            let amount =
                switch amounts {
                case .narrow(let amounts): Int64(amounts[place])
                case .wide(let amounts): amounts[place]
                }
            return Change(leaf: LeafIndex(leaves[place]), amount: amount)
        }
    }
}
