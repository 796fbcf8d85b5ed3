public import ThrongWire

extension Credential {
    /// Returns the proof, to be posted once, that this credential's device is in a cell of a metric in a period.
    ///
    /// - Parameters:
    ///   - cell: a bucket for each dimension of one of the metric's `proved_firsts.groupings`, and of its `partition`.
    ///   - firsts: as the public plan has them.
    ///   - period: of the app's calendar, one of the metric's lengths of time.
    package func first(
        in cell: [DimensionName: BucketLabel], of metric: MetricName, _ firsts: PublicPlan.ProvedFirsts, period: Period,
        app: AppName
    ) throws(AttestationError) -> ProvedFirst {
        let own = cell.filter { !firsts.partition.contains($0.key) }
        let context = try PresentationContext.first(
            in: own, of: metric, layout: firsts.layout, period: period, app: app)
        return ProvedFirst(
            app: app, metric: metric, period: period, cell: cell,
            proof: Base64URL.text(of: present(for: context.bytes).rawRepresentation))
    }
}

extension DeviceCredentials {
    /// Returns what a device posts to `/v1/firsts` for a cell in which it was in a period; nil if it has no credential
    /// of the period's month, or the metric asks for no such first. Send it once the window of the event is over, and
    /// again until it is answered: it counts once.
    ///
    /// - Parameters:
    ///   - cell: as `ProvedFirst.cell`.
    ///   - calendar: the app's, by its plan's time zone.
    /// - Complexity: a millisecond; most of a second where this package is built without optimization.
    public func first(
        in cell: [DimensionName: BucketLabel], of metric: PublicPlan.Metric, period: Period, calendar: PeriodCalendar
    ) -> ProvedFirst? {
        guard let firsts = metric.provedFirsts, firsts.periods.contains(period.kind),
            let credential = credential(of: Epoch(of: period, in: calendar))
        else { return nil }
        do {
            return try credential.first(in: cell, of: metric.name, firsts, period: period, app: app)
        } catch {
            // Only a name or a bucket that is too long is left.
            return nil
        }
    }
}
