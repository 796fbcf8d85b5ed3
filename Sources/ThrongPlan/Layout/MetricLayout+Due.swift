package import ThrongWire

extension MetricLayout {
    /// Returns the instant at which a period is due for its release: its end and the grace are over and, where
    /// identifiers are counted, its windows are closed. Those of an earlier plan may be longer than the grace.
    ///
    /// - Parameter end: the instant at which the period is over.
    package func due(periodEnding end: UnixSeconds, grace: Duration) -> UnixSeconds {
        let due = end + grace.components.seconds
        guard within != nil else { return due }
        let last = rotation.start(of: rotation.window(at: end - 1))
        return max(due, last + 2 * rotation.seconds + Plan.closingSlack.components.seconds)
    }

    /// Returns the periods that the metric counts by within a longer one, in their order.
    package func periods(in longer: Period) -> [Period] {
        guard let calendar = PeriodCalendar(timeZone: timeZone) else { return [] }
        var found: [Period] = []
        var next = calendar.period(period, containing: longer.start)
        while next.end <= longer.end {
            found.append(next)
            next = calendar.period(period, containing: next.end)
        }
        return found
    }
}
