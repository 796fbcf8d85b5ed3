package import ThrongPlan
internal import ThrongSuppression

extension ReleaseCase {
    /// How many publishable numbers that are split by so many dimensions every safe release withholds that shows these coarser
    /// ones: a bound to measure decisions by.
    ///
    /// - Parameters:
    ///   - split: by how many dimensions; 1 or more.
    ///   - shown: the numbers of fewer dimensions that it shows, by grouping.
    /// - Returns: nil where the table is too large for the bound, or it took more than a minute.
    /// - Throws: ``ReleaseError/tooLarge(metric:period:)``.
    package func leastHidden(
        split: Int, beside shown: [Margin: Set<CellIndex>], _ options: ReleaseOptions = ReleaseOptions()
    ) throws(ReleaseError) -> Int? {
        let laid: CaseTable
        do throws(SuppressionError) {
            laid = try CaseTable(self, options: options, others: tiedMargins)
        } catch {
            throw .tooLarge(metric: header.layout.metric, period: header.period)
        }
        let published = laid.origins.map { origin in
            guard let origin else { return false }
            let slab = laid.slabs[origin.slab]
            return shown[slab.margin]?.contains(slab.cells[origin.place]) ?? false
        }
        return SuppressionEngine(options: options.engine).leastHidden(
            of: laid.problem, at: CaseTable.level(of: Margin(bits: (1 << split) - 1), isPreferred: false),
            beside: published)
    }
}
