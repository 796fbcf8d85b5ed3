internal import ThrongPlan
internal import ThrongSuppression

extension AbsentDevices {
    /// Beyond so many unknowns no further window is looked at: a program for each sensitive cell has to hold them.
    private static let mostUnknowns = 1000

    /// The devices of those windows that have most of some published grouping's, as far as programs hold them.
    ///
    /// A number of devices of several windows is the largest of them. In the window in which it is, as many devices sent an event,
    /// and in every group no more than that group's own largest: of 131 devices 92 at most are of one age, so that 39 events at
    /// least are of others.
    static func ofWindows(_ laid: CaseTable, _ layout: MetricLayout, _ groups: [Margin: [Int]]) -> [Family] {
        var largest: [Quantity: Int] = [:]
        var rows: [Quantity: [Margin: [Row]]] = [:]
        for slabs in groups.values {
            guard let counted = layout.counting(laid.slabs[slabs[0]].margin) else { continue }
            var own: [Quantity: [Row]] = [:]
            for (part, distinct) in laid.frame.distinct.enumerated() {
                for row in distinct[counted] ?? [] {
                    own[.ofWindow(part: part, row.window), default: []].append((row.cell, row.devices))
                }
            }
            for (quantity, devices) in own {
                rows[quantity, default: [:]][counted] = devices
                for number in slabs {
                    let slab = laid.slabs[number]
                    let sums = Family(apart: .total, slabs: [], quantity: quantity, margin: counted, rows: devices)
                        .sums(over: slab.margin, layout)
                    largest[quantity, default: 0] += slab.cells.indices.count { place in
                        sums[slab.cells[place]].map { $0 > 0 && $0 == slab.floors[place] } ?? false
                    }
                }
            }
        }
        var (families, unknowns) = ([Family](), 0)
        for (quantity, cells) in largest.sorted(by: { (-$0.value, $0.key) < (-$1.value, $1.key) }) where cells > 0 {
            unknowns += rows[quantity]?.values.reduce(0) { $0 + $1.count } ?? 0
            if unknowns > mostUnknowns { break }
            families += groups.compactMap { apart, slabs in
                layout.counting(laid.slabs[slabs[0]].margin).map { counted in
                    Family(
                        apart: apart, slabs: slabs, quantity: quantity, margin: counted,
                        rows: rows[quantity]?[counted] ?? [])
                }
            }
        }
        return families
    }
}

extension AbsentDevices.Quantity {
    /// In which part of the period devices were counted; nil where it is in all of them.
    var part: Int? {
        if case .ofWindow(let part, _) = self { part } else { nil }
    }
}
