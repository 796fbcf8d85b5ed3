/// How a switch takes a grid's axes apart: each donor shares one block with the cell that is moved, and all share the
/// fixed axes.
struct SwitchSplit {
    /// Lanes of each block: one, two or three of them.
    let blocks: [Lanes]
    /// Lanes that nothing changes in.
    let fixed: Lanes
    /// By block: groupings that hold the block together with another axis that moves, or, of a single block, at all.
    let crossing: [UInt64]

    typealias Lanes = SIMDMask<SIMD8<Int32>>

    /// All splits of some axes, those with the fewest fixed axes and blocks first.
    ///
    /// - Parameters:
    ///   - mayFix: axes that may stay fixed.
    ///   - mustMeet: axes of which each block must hold one.
    ///   - limit: how many are made at most.
    static func all(
        axes: Int, mayFix: Set<Int>, mustMeet: Set<Int>, groupings: [LeafGrid.Grouping], limit: Int = 400
    ) -> [SwitchSplit] {
        var result: [SwitchSplit] = []
        // One digit an axis: 0 is fixed, else its block.
        var digits = Array(repeating: 0, count: axes)
        func visit(_ axis: Int, _ used: Int) {
            if result.count >= limit * 4 { return }
            guard axis < axes else {
                let blocks = (1...max(1, used)).map { block in digits.indices.filter { digits[$0] == block } }
                let isMet = blocks.allSatisfy { !$0.isEmpty && $0.contains(where: mustMeet.contains) }
                if used > 0, isMet { result.append(SwitchSplit(blocks: blocks, groupings: groupings, axes: axes)) }
                return
            }
            for digit in 0...min(used + 1, 3) where digit > 0 || mayFix.contains(axis) {
                digits[axis] = digit
                visit(axis + 1, max(used, digit))
            }
            digits[axis] = 0
        }
        visit(0, 0)
        return Array(
            result.enumerated().sorted { ($0.element.effort, $0.offset) < ($1.element.effort, $1.offset) }
                .map(\.element).prefix(limit))
    }

    private init(blocks: [[Int]], groupings: [LeafGrid.Grouping], axes: Int) {
        func lanes(_ axes: [Int]) -> Lanes {
            var result = Lanes(repeating: false)
            for axis in axes { result[axis] = true }
            return result
        }
        self.blocks = blocks.map { lanes($0) }
        let moving = lanes(blocks.flatMap { $0 })
        fixed = lanes(Array(0..<axes)) .& .!moving
        let all = self.blocks
        crossing = all.map { block in
            var bits: UInt64 = 0
            for (number, grouping) in groupings.enumerated() where grouping.keepsBuckets {
                let others = moving .& .!block
                if any(grouping.kept .& block), all.count == 1 || any(grouping.kept .& others) {
                    bits |= 1 << UInt64(number)
                }
            }
            return bits
        }
    }

    /// Two blocks before one, because they move less that is published; three last.
    private var effort: Int { (blocks.count == 3 ? 100 : blocks.count == 1 ? 0 : 10) + (0..<8).count { fixed[$0] } }
}
