package import ThrongAudit
internal import ThrongPlan
package import ThrongRelease

extension AuditTable {
    /// What everybody sees of a release.
    package init(of release: Release) {
        let layout = release.header.layout
        self.init(
            source: "\(layout.metric) \(release.header.period.start.value)", app: layout.app.text,
            metric: layout.metric.text,
            period: AuditPeriod(start: release.header.period.start.value, end: release.header.period.end.value),
            threshold: release.header.threshold.devices,
            dimensions: layout.dimensions.map {
                AuditPlan.Dimension(
                    name: $0.name.text, elements: $0.labels.map(\.text), partitionsDevices: $0.partitionsDevices)
            },
            sums: layout.sums.map { Sum(name: $0.name, decimals: $0.decimals) }, showsReach: release.header.reach,
            margins: release.header.groupings.map(\.bits),
            cells: release.cells.map {
                Cell(
                    margin: $0.margin.bits, cell: $0.cell.value, count: $0.count, sums: $0.sums,
                    reach: $0.reach?.devices)
            })
    }
}
