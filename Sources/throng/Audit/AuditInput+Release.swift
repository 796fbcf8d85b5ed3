import ThrongAudit
import ThrongPlan
import ThrongRelease

extension AuditInput {
    /// Adds a release as the ledger has it: its numbers, and what its header says of its metric.
    mutating func add(_ release: Release) {
        let header = release.header
        let layout = header.layout
        let label = (PeriodCalendar(timeZone: layout.timeZone) ?? .utc).label(of: header.period)
        let named = "\(layout.id) k \(header.threshold.devices)"
        know(
            AuditMetric(
                layout, named: named, threshold: header.threshold, events: header.events.map { Set($0.map(\.text)) },
                audience: layout.purpose.text, reach: header.reach))
        let source = "\(layout.metric) \(label)"
        var numbers: [AuditNumber] = []
        for cell in release.cells {
            let kept = layout.dimensions.indices.filter(cell.margin.keeps)
            var buckets: [String: Set<String>] = [:]
            for (place, bucket) in zip(kept, layout.buckets(of: cell.cell, in: cell.margin)) {
                buckets[layout.dimensions[place].name.text] = [layout.dimensions[place].labels[bucket].text]
            }
            func state(_ measure: AuditMeasure, _ value: Double, _ margin: Double?) {
                numbers.append(
                    AuditNumber(
                        source: source, app: layout.app.text, metric: layout.metric.text, layout: named,
                        period: AuditPeriod(label), measure: measure, buckets: buckets, value: value, margin: margin))
            }
            state(.events, Double(cell.count), header.margin(of: cell.margin).map { Double($0) })
            for (place, sum) in layout.sums.enumerated() {
                let unit = (0..<sum.decimals).reduce(1.0) { unit, _ in unit * 10 }
                state(
                    .sum(sum.name), Double(cell.sums[place]) / unit,
                    header.margin(of: cell.margin, measure: place + 1).map { Double($0) / unit })
            }
            if let devices = cell.firsts ?? cell.reach?.devices {
                state(.devices, Double(devices), header.deviceMargin(of: cell.margin).map { Double($0) })
            }
        }
        add(
            numbers, from: AuditSource(name: source, digest: "\(release.digest)"),
            cost: (header.margins?.cost).flatMap { Double($0) })
    }
}
