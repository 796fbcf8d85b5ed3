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
}
