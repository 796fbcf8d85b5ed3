public import ThrongPlan

extension ReleaseStore {
    /// What the last plan that had a layout asked of its releases; nil where no daemon that keeps terms has registered it.
    public func terms(of layout: MetricLayout) async throws -> ReleaseTerms? {
        let id = layout.counted.id
        return try await connection.run { session in
            let rows = try session.query(Query.selectTerms([.bytes(id.bytes)]))
            guard rows.count == 1 else { return nil }
            return ReleaseTerms(
                threshold: Threshold(devices: try rows.integer(0, 0)),
                sensitive: try rows.text(0, 1).split(separator: ",").map { DimensionName(String($0)) },
                protection: Protection(percent: try rows.integer(0, 2)))
        }
    }
}
