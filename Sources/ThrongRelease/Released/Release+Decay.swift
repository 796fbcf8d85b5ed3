package import ThrongPlan

extension Release {
    /// Reads back what age has left of a release; its digest can no longer be checked.
    ///
    /// Groupings that kept a dropped dimension are gone from the header, so that nothing takes their missing cells for
    /// withheld ones.
    package init(decayed header: ReleaseHeader, dropped: Set<DimensionName>, cells rows: [Row]) {
        let places = header.layout.dimensions.indices.filter { dropped.contains(header.layout.dimensions[$0].name) }
        let left = header.groupings.filter { margin in !places.contains { margin.keeps($0) } }
        self.init(
            remaining: ReleaseHeader(
                layout: header.layout,
                period: header.period,
                plan: header.plan,
                threshold: header.threshold,
                sampling: header.sampling,
                reach: header.reach,
                groupings: left,
                protection: header.protection,
                sensitive: header.sensitive ?? [],
                noise: header.noise,
                events: header.events),
            cells: rows.filter { left.contains($0.margin) })
    }
}
