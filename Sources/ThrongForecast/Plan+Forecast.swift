internal import ThrongPlan

extension Plan {
    /// The same plan for an app whose days are in UTC.
    var inUTC: Plan {
        let utc = App(
            name: app.name, title: app.title, owner: app.owner, contact: app.contact, audience: app.audience,
            threshold: app.threshold, timeZone: "UTC", grace: app.grace)
        return Plan(
            app: utc, purposes: purposes, dimensions: dimensions, derivedDimensions: derivedDimensions,
            metrics: metrics, insights: insights, reports: reports, partners: partners, version: version,
            places: places)
    }

    /// The same plan whose metrics release other groupings besides those that insights ask for.
    ///
    /// - Parameter margins: by metric; metrics that are missing keep their own.
    func releasing(_ margins: [MetricName: [[DimensionName]]]) -> Plan {
        Plan(
            app: app, purposes: purposes, dimensions: dimensions, derivedDimensions: derivedDimensions,
            metrics: metrics.map { metric in margins[metric.name].map(metric.releasing) ?? metric },
            insights: insights, reports: reports, partners: partners, version: version, places: places)
    }
}

extension Metric {
    fileprivate func releasing(_ margins: [[DimensionName]]) -> Metric {
        Metric(
            name: name, title: title, events: events, question: question, decision: decision, owner: owner,
            expires: expires, purpose: purpose, dimensions: dimensions, period: period, sums: sums,
            histogram: histogram, reach: reach, contributionBound: contributionBound, sampling: sampling,
            threshold: threshold, margins: margins, decay: decay, rollups: rollups, protection: protection,
            sensitive: sensitive, impossible: impossible, margin: margin, countsFirsts: countsFirsts,
            provesFirsts: provesFirsts, answered: answered, within: within)
    }
}
