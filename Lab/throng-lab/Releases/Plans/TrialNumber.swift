internal import ThrongPlan
internal import ThrongRelease
internal import ThrongWire

/// One number that a trial publishes, as it is told apart from others.
struct TrialNumber: Hashable, Sendable {
    let day: Int
    let metric: String
    /// 0: devices; 1: events; 2: the sum.
    let measure: Int
    /// By dimension.
    let buckets: [String: String]

    /// "day 0, m1, measure 0, os=x".
    var text: String {
        let places = buckets.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return (["day \(day)", metric, "measure \(measure)"] + places).joined(separator: ", ")
    }

    /// The least that is promised of combinations of such numbers: k/4, k·b/10 or k/4 if that is more, or that of sums.
    func promise(_ town: TrialTown) -> Double {
        let plan = town.plans[town.versions[day]]
        let own = plan.metrics.first { $0.name == metric }?.threshold
        let k = Double(own ?? plan.threshold)
        let width = max(Double(plan.bound) / 10, 1.0 / 4)
        switch measure {
        case 0: return k / 4
        case 1: return k * width
        default: return k * width * Double(TrialPlan.clip.upperBound)
        }
    }

    /// The counted number.
    func truth(_ town: TrialTown) -> Double {
        let plan = town.plans[town.versions[day]]
        guard let spec = plan.metrics.first(where: { $0.name == metric }) else { return 0 }
        let names = spec.split.map(\.name)
        var sum: Int64 = 0
        for group in town.people {
            let inside = town.visits(of: group, spec, bound: plan.bound, day).filter { visit in
                buckets.allSatisfy { name, bucket in
                    if let place = names.firstIndex(of: name) { return visit.labels[place] == bucket }
                    guard let coarse = TrialDimension.named(name) else { return false }
                    return coarse.label(group.values[coarse.field] ?? "") == bucket
                }
            }
            switch measure {
            case 0: sum += inside.isEmpty ? 0 : group.devices
            case 1: sum += inside.reduce(0) { $0 + $1.count } * group.devices
            default: sum += inside.reduce(0) { $0 + $1.amount } * group.devices
            }
        }
        return Double(sum)
    }
}

extension Release {
    /// The published numbers.
    func trialNumbers(day: Int) -> [TrialNumber: Double] {
        let layout = header.layout
        var found: [TrialNumber: Double] = [:]
        for cell in cells {
            let kept = layout.dimensions.indices.filter(cell.margin.keeps)
            var buckets: [String: String] = [:]
            for (place, bucket) in zip(kept, layout.buckets(of: cell.cell, in: cell.margin)) {
                buckets[layout.dimensions[place].name.text] = layout.dimensions[place].labels[bucket].text
            }
            func put(_ measure: Int, _ value: Int64) {
                found[
                    TrialNumber(day: day, metric: layout.metric.text, measure: measure, buckets: buckets)] =
                    Double(value)
            }
            if let devices = cell.reach?.devices { put(0, devices) }
            put(1, cell.count)
            if let sum = cell.sums.first { put(2, sum) }
        }
        return found
    }
}
