internal import ThrongPlan
internal import ThrongSuppression

/// What the clip of a sum says of the events behind it, and the edges of a dimension of bands of what it sums: each event adds at
/// least so much, and at most.
///
/// A layout does not say of which field a dimension is made. So bands are taken to be of a sum's field where every counter
/// agrees with that: somebody who knows the plan knows no more, and where it is chance nothing is lost but a few bands.
struct BandedSums {
    /// What is known in each leaf.
    let ranges: [TiedRange]
    /// By column: it keeps a dimension of bands, or one that is made of its bands.
    let isBand: [Bool]

    /// Looks for them; nil where there are none.
    init?(_ laid: CaseTable) {
        let layout = laid.frame.layout
        var ranges: [TiedRange] = []
        var banded: Set<Int> = []
        for (place, dimension) in layout.dimensions.enumerated() where dimension.coarsening == nil {
            guard let edges = Self.edges(of: dimension.labels) else { continue }
            let bases = layout.dimensions.indices.filter(layout.leaf.keeps)
            guard let axis = bases.firstIndex(of: place) else { continue }
            let bands = laid.frame.leaves.map { layout.buckets(of: $0.cell, in: layout.leaf)[axis] }
            for (sum, measure) in layout.sums.enumerated() {
                let known = edges.map { Self.range(from: $0.from, to: $0.to, of: measure) }
                let all = Self.range(from: nil, to: nil, of: measure)
                guard known.contains(where: { $0 != all }) else { continue }
                let range = TiedRange(
                    measure: sum + 1, lowest: bands.map { known[$0].lowerBound },
                    highest: bands.map { known[$0].upperBound })
                guard range.holds(of: laid.problem.measures) else { continue }
                ranges.append(range)
                banded.insert(place)
            }
        }
        // A clip says little of one cell and needs all leaves to say it: more than a program holds are left to witnesses.
        let clipped = JointRepair.holdsAll(of: laid.problem) ? layout.sums : []
        for (sum, measure) in clipped.enumerated() where !ranges.contains(where: { $0.measure == sum + 1 }) {
            let all = Self.range(from: nil, to: nil, of: measure)
            let range = TiedRange(
                measure: sum + 1, lowest: laid.frame.leaves.map { _ in all.lowerBound },
                highest: laid.frame.leaves.map { _ in all.upperBound })
            if range.holds(of: laid.problem.measures) { ranges.append(range) }
        }
        guard !ranges.isEmpty else { return nil }
        self.ranges = ranges
        isBand = laid.origins.map { origin in
            guard let origin else { return false }
            let margin = laid.slabs[origin.slab].margin
            return layout.dimensions.indices.contains { place in
                margin.keeps(place) && banded.contains(layout.dimensions[place].coarsening?.place ?? place)
            }
        }
    }

    /// What an event between two edges adds to a sum above its lowest value. An upper edge can be reached by rounding.
    static func range(from: Double?, to: Double?, of sum: SumMeasure) -> ClosedRange<Int64> {
        let lowest = sum.quantum(of: sum.lowest)
        let least = sum.quantum(of: from ?? sum.lowest).subtractedClamped(lowest)
        let most = sum.quantum(of: to ?? sum.highest).subtractedClamped(lowest)
        return min(least, most)...max(least, most)
    }

    /// By bucket, the edges of a dimension of bands; nil where its labels are anything else.
    static func edges(of labels: [BucketLabel]) -> [(from: Double?, to: Double?)]? {
        var result: [(from: Double?, to: Double?)] = []
        for label in labels {
            let text = label.text
            if label == .other {
                result.append((nil, nil))
            } else if text.hasPrefix("<"), let edge = Double(text.dropFirst()) {
                result.append((nil, edge))
            } else if text.hasPrefix(">="), let edge = Double(text.dropFirst(2)) {
                result.append((edge, nil))
            } else if let (from, to) = between(text) {
                result.append((from, to))
            } else {
                return nil
            }
        }
        return result.contains { $0.from != nil || $0.to != nil } ? result : nil
    }

    /// The edges of "10-20" or "from -10 to 20".
    private static func between(_ text: String) -> (Double, Double)? {
        let parts: [Substring]
        if text.hasPrefix("from ") {
            let words = text.split(separator: " ")
            guard words.count == 4, words[2] == "to" else { return nil }
            parts = [words[1], words[3]]
        } else {
            parts = text.split(separator: "-", omittingEmptySubsequences: false)
        }
        guard parts.count == 2, let from = Double(parts[0]), let to = Double(parts[1]), from < to else { return nil }
        return (from, to)
    }
}
