internal import ThrongPlan
internal import ThrongSuppression

/// The p % rule over the cells of a slab: whether each of their sums may stand (disclosure, section 4).
struct SumRule {
    private let isPassed: [Bool]

    /// Looks at every cell and every sum; a metric without sums passes.
    init(_ frame: ReleaseFrame, slab: CubeSlab, protection: Protection) {
        let sums = frame.layout.sums
        guard !sums.isEmpty else {
            isPassed = Array(repeating: true, count: slab.cells.count)
            return
        }
        // Windows of different parts are different windows: their bounds are added like all others.
        let parts = slab.span.map { Dominance(of: frame.parts[$0], margin: slab.margin) }
        isPassed = slab.cells.indices.map { place in
            let cell = Int(slab.cells[place].value)
            let events = slab.leaves[place].reduce(Int64(0)) { $0.addedClamped(frame.measures[0][Int($1)]) }
            return sums.indices.allSatisfy { sum in
                let above = slab.leaves[place].reduce(Int64(0)) { $0.addedClamped(frame.measures[sum + 1][Int($1)]) }
                // Contributions are measured from zero, or from the lowest value where that is below zero.
                let raised = max(0, sums[sum].quantum(of: sums[sum].lowest)).multipliedClamped(by: events)
                return Dominance.passes(
                    total: above.addedClamped(raised),
                    x1: parts.reduce(Int64(0)) { $0.addedClamped($1.largest[sum][cell]) },
                    x12: parts.reduce(Int64(0)) { $0.addedClamped($1.twoLargest[sum][cell]) },
                    percent: protection.percent)
            }
        }
    }

    /// Whether the cell at a place passes.
    func passes(_ place: Int) -> Bool { isPassed[place] }
}
