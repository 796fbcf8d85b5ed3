package import ThrongAudit
internal import ThrongPlan
package import ThrongRelease
internal import ThrongWire

extension AuditInput {
    /// Adds what everybody sees of a release.
    ///
    /// - Parameter changed: another value or margin of a number; as it is where it returns the same.
    package mutating func add(
        _ release: Release,
        changed: (AuditMeasure, Double, Double?) -> (value: Double, margin: Double?) = { ($1, $2) }
    ) {
        let header = release.header
        let layout = header.layout
        let label = PeriodCalendar.utc.label(of: header.period)
        var numbers: [AuditNumber] = []
        for cell in release.cells {
            let kept = layout.dimensions.indices.filter(cell.margin.keeps)
            var buckets: [String: Set<String>] = [:]
            for (place, bucket) in zip(kept, layout.buckets(of: cell.cell, in: cell.margin)) {
                buckets[layout.dimensions[place].name.text] = [layout.dimensions[place].labels[bucket].text]
            }
            func state(_ measure: AuditMeasure, _ number: Int64, _ margin: Int64?) {
                let said = changed(measure, Double(number), margin.map { Double($0) })
                numbers.append(
                    AuditNumber(
                        source: "\(layout.metric) \(label)", app: layout.app.text, metric: layout.metric.text,
                        period: AuditPeriod(label), measure: measure, buckets: buckets, value: said.value,
                        margin: said.margin))
            }
            state(.events, cell.count, header.margin(of: cell.margin))
            for (place, sum) in layout.sums.enumerated() {
                state(.sum(sum.name), cell.sums[place], header.margin(of: cell.margin, measure: place + 1))
            }
            if let devices = cell.reach?.devices { state(.devices, devices, header.deviceMargin(of: cell.margin)) }
        }
        add(
            numbers, from: AuditSource(name: "\(layout.metric) \(label)"),
            cost: (header.margins?.cost).flatMap { Double($0) })
        if let bound = header.chosenBound { bounds["\(layout.app)/\(layout.metric)/\(label)"] = Int64(bound) }
    }
}
