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
        self.from = start
        self.until = end
        self.isSplit = isSplit
    }
}

extension ReportDocument {
    /// The sentences about each metric that was not counted in one way all period long.
    package var partNotes: [String] {
        partial.map { partial in
            let part = partial.part
            let time =
                switch (part.from, part.until) {
                case (let from?, let until?): "from \(names.instant(from)) to \(names.instant(until))"
                case (let from?, nil): "from \(names.instant(from)) on"
                case (nil, let until?): "until \(names.instant(until))"
                case (nil, nil): "of a part of the period"
                }
            let why = part.isSplit ? "was counted in two ways in this period" : "was not counted all period long"
            return "\u{201c}\(partial.title)\u{201d} \(why). Its numbers are \(time)."
        }
    }
}
