extension SuppressionPattern {
    /// The pattern with more cells hidden.
    ///
    /// It stays safe: whoever sees less can prove less, every witness agrees with fewer published cells, and a union
    /// of more unknown cells has no smaller floor.
    package func hiding(_ columns: Set<ColumnIndex>) -> SuppressionPattern {
        guard !columns.isEmpty else { return self }
        var isPublished = isPublished
        for column in columns { isPublished[Int(column.value)] = false }
        return SuppressionPattern(
            isPublished: isPublished, witnesses: witnesses, unproved: unproved, pinned: pinned,
            openRelations: openRelations, reasons: reasons, extraCost: extraCost, statistics: statistics)
    }
}
