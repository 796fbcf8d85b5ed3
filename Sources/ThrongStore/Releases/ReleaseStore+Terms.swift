package import ThrongPlan
internal import ThrongPostgres

extension ReleaseStore {
    /// What the last plan that had a layout asked of its releases; nil where no daemon that keeps terms has registered it.
    package func terms(of layout: MetricLayout) async throws -> ReleaseTerms? {
        try await connection.run { try Self.terms(of: layout, $0) }
    }

    static func terms(of layout: MetricLayout, _ session: Session) throws -> ReleaseTerms? {
        let rows = try session.query(Query.selectTerms([.bytes(layout.counted.id.bytes)]))
        guard rows.count == 1 else { return nil }
        return ReleaseTerms(
            threshold: Threshold(devices: try rows.integer(0, 0)),
            sensitive: try rows.text(0, 1).split(separator: ",").map { DimensionName(String($0)) },
            protection: Protection(percent: try rows.integer(0, 2)),
            expiry: try expiry(rows, 0, after: 3, drops: 4) ?? [])
    }

    /// At which ages numbers go, as it is kept with a layout; nil where nobody said so.
    static func expiry(_ rows: Rows, _ row: Int, after: Int, drops: Int) throws -> [DecayStep]? {
        guard !rows.isNull(row, after) else { return nil }
        return DecayStep.steps(after: try rows.text(row, after), drops: try rows.text(row, drops))
    }
}
