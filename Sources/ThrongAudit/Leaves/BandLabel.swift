/// A bucket that is a range of numbers, as numeric bands are labelled: "<10", "10-20", "from -5 to 5", ">=20".
struct BandLabel {
    /// Nil is open below.
    let lower: Double?
    /// Nil is open above.
    let upper: Double?

    init?(_ label: String) {
        if label.hasPrefix("<"), let edge = Double(label.dropFirst()) {
            (lower, upper) = (nil, edge)
        } else if label.hasPrefix(">="), let edge = Double(label.dropFirst(2)) {
            (lower, upper) = (edge, nil)
        } else {
            let words = label.split(separator: label.hasPrefix("from ") ? " " : "-").map(String.init)
            let edges = words.compactMap(Double.init)
            guard edges.count == 2, words.count == (label.hasPrefix("from ") ? 4 : 2), edges[0] < edges[1] else {
                return nil
            }
            (lower, upper) = (edges[0], edges[1])
        }
    }

    /// Cuts overlapping bands of several bucketings into their common parts; nil where a label is no band.
    ///
    /// This is how a moved edge shows: both old and new bands are sums of the same parts.
    static func align(_ labels: [String]) -> (elements: [String], groups: [String: [String]])? {
        let bands = labels.map { BandLabel($0) }
        var edges: Set<Double> = []
        for band in bands {
            guard let band else { return nil }
            edges.formUnion([band.lower, band.upper].compactMap { $0 })
        }
        let sorted = edges.sorted()
        guard !sorted.isEmpty else { return nil }
        let cuts: [(lower: Double, upper: Double)] =
            zip([-Double.infinity] + sorted, sorted + [Double.infinity]).map { ($0, $1) }
        let names = cuts.map { "[\($0.lower), \($0.upper))" }
        var groups: [String: [String]] = [:]
        for (label, band) in zip(labels, bands) {
            guard let band else { return nil }
            groups[label] = zip(cuts, names).filter { cut, _ in
                cut.lower >= (band.lower ?? -.infinity) && cut.upper <= (band.upper ?? .infinity)
            }.map(\.1)
        }
        // A part that no band covers cannot occur: bucketings are total.
        let covered = Set(groups.values.joined())
        return (names.filter { covered.contains($0) }, groups)
    }
}
