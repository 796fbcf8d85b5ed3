package import ThrongNoise

extension PeriodCalendar {
    /// The stretches of time whose budget pays for a period: every one that it touches, ascending.
    ///
    /// The whole life of a purpose is one stretch from 1970 to the year 9999.
    package func slots(_ span: BudgetSpan, touchedBy period: Period) -> [Range<UnixSeconds>] {
        let kind: PeriodKind
        switch span {
        case .day: kind = .day
        case .week: kind = .week
        case .month: kind = .month
        case .purpose: return [.epoch..<UnixSeconds(253_402_300_799)]
        }
        var slots: [Range<UnixSeconds>] = []
        var next = period.start
        while next < period.end {
            let slot = self.period(kind, containing: next)
            slots.append(slot.start..<slot.end)
            next = slot.end
        }
        return slots
    }
}

extension PeriodKind {
    /// The most periods of this kind that one slot of a budget pays for.
    ///
    /// Longest slots: a day of 25 hours, a week and a month with such a day, a month of 31 days that touches 6 weeks.
    /// - Parameter daysLeft: until the metric expires, which is what a budget for the whole purpose has to last for.
    func mostReleases(in span: BudgetSpan, daysLeft: Int64) -> Int64 {
        guard daysLeft > 0 else { return 0 }
        switch (span, self) {
        case (.day, .hour): return 25
        case (.day, _): return 1
        case (.week, .hour): return 169
        case (.week, .day): return 7
        case (.week, .week): return 1
        case (.week, .month): return 2
        case (.month, .hour): return 745
        case (.month, .day): return 31
        case (.month, .week): return 6
        case (.month, .month): return 1
        case (.purpose, .hour): return daysLeft * 24 + 25
        case (.purpose, .day): return daysLeft + 1
        case (.purpose, .week): return daysLeft / 7 + 2
        case (.purpose, .month): return daysLeft / 28 + 2
        }
    }
}
