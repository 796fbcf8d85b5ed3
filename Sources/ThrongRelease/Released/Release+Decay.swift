package import ThrongPlan

extension Release {
    /// Reads back the numbers that age has left of a release. The digest covered numbers that are gone, and went with
    /// them. The rest therefore has to fit the header: cells of the layout, each once, with its sums, and with at least
    /// k devices wherever they say how many.
    ///
    /// Groupings that kept a dropped dimension are gone from the header, so that nothing takes their missing cells for
    /// withheld ones.
    /// - Throws: ``ReleaseError/altered(metric:period:)`` if a row does not fit.
    @_spi(Ledger) public init(
        decayed header: ReleaseHeader, dropped: Set<DimensionName>, cells rows: [Row]
    ) throws(ReleaseError) {
        let places = header.layout.dimensions.indices.filter { dropped.contains(header.layout.dimensions[$0].name) }
        let left = header.groupings.filter { margin in !places.contains { margin.keeps($0) } }
        var remaining = header
        remaining.groupings = left
        remaining.margins = header.margins?.keeping(header.groupings.map(left.contains))
        self.init(remaining: remaining, cells: rows.filter { left.contains($0.margin) }, without: dropped)
        guard cells.allSatisfy(header.couldPublish),
            zip(cells, cells.dropFirst()).allSatisfy({ !$0.isSamePlace(as: $1) })
        else { throw .altered(metric: header.layout.metric, period: header.period) }
    }
}

extension ReleaseHeader {
    /// True if a number can be one of this release's, as far as the number alone can tell.
    fileprivate func couldPublish(_ cell: PublishedCell) -> Bool {
        Int(cell.cell.value) < layout.size(of: cell.margin)
            && cell.sums.count == layout.sums.count
            && [cell.reach?.devices, cell.firsts].allSatisfy { threshold.isReached(by: $0 ?? .max) }
    }
}

extension PublishedCell {
    fileprivate func isSamePlace(as other: PublishedCell) -> Bool { margin == other.margin && cell == other.cell }
}
