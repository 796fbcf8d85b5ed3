package import ThrongPlan

/// The part of a period in which a metric's layout was counted, where that is not all of it: a change of the plan began
/// to count the metric anew, or counting began.
package struct PartOfPeriod: Sendable, Hashable {
    /// The time at which this way of counting began; nil where that was before the period.
    package let from: UnixSeconds?
    /// The time at which this way of counting ended; nil where that was after the period, or never.
    package let until: UnixSeconds?
    /// True if the metric was counted in another way in the rest of the period.
    package let isSplit: Bool

    /// Takes what lies within a period of the time in which a layout was counted; nil where that is all of the period.
    ///
    /// Events that were counted for a period before anybody counted were handed in later, and are taken for the whole.
    package init?(of period: Period, from: UnixSeconds?, until: UnixSeconds?, isSplit: Bool) {
        let start = from.flatMap { $0 > period.start && $0 < period.end ? $0 : nil }
        let end = until.flatMap { $0 > period.start && $0 < period.end ? $0 : nil }
        if start == nil, end == nil, !isSplit { return nil }
        (self.from, self.until, self.isSplit) = (start, end, isSplit)
    }
}

extension ReportDocument {
    /// The sentences above all answers: the alert, and each metric that was not counted in one way all period long.
    package var partNotes: [String] {
        [alert?.sentence].compactMap { $0 }
            + partial.map { partial in
                let part = partial.part
                let (from, until) = (part.from.map(names.instant), part.until.map(names.instant))
                return locale.say(
                    .partCounted,
                    [
                        "title": partial.title, "isSplit": part.isSplit,
                        "ends": from == nil ? until == nil ? "none" : "high" : until == nil ? "low" : "both",
                        "from": from ?? "", "until": until ?? "",
                    ])
            }
    }
}
