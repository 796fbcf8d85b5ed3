import ThrongAudit
import ThrongPlan
import ThrongRelease

extension AuditTable {
    /// What an attacker sees of a release: its header and its published cells.
    init(_ release: Release) {
        let header = release.header
        let layout = header.layout
        let calendar = PeriodCalendar(timeZone: layout.timeZone) ?? .utc
        self.init(
            source: "\(layout.app) \(layout.metric) \(calendar.label(of: header.period))",
            app: layout.app.text,
            metric: layout.metric.text,
            period: AuditPeriod(start: header.period.start, end: header.period.end),
            threshold: header.threshold.devices,
            dimensions: layout.dimensions.map {
                AuditPlan.Dimension(
                    name: $0.name.text, elements: $0.labels.map(\.text), partitionsDevices: $0.partitionsDevices)
            },
            sums: layout.sums.map { Sum(name: $0.name, decimals: $0.decimals) },
            showsReach: header.reach,
            margins: header.groupings.map(\.bits),
            cells: release.cells.map {
                Cell(
                    margin: $0.margin.bits, cell: $0.cell.value, count: $0.count, sums: $0.sums,
                    reach: $0.reach?.devices)
            })
    }
}
