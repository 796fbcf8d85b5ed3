internal import ThrongWire

/// All versions of an app's plan, one after the other.
struct KnownHistory {
    /// With the instants from and until which they were in force.
    private let versions: [Version]

    private struct Version {
        let plan: KnownPlan
        let since: UnixSeconds
        let until: UnixSeconds
    }

    /// What one version of a metric counted in a part of a period.
    struct Stretch {
        let metric: KnownMetric
        let period: AuditPeriod
    }

    /// - Parameter plans: of one app; of two that begin at the same time the later one is in force.
    init(_ plans: [KnownPlan]) {
        let ordered = plans.enumerated().sorted {
            ($0.element.since ?? .min, $0.offset) < ($1.element.since ?? .min, $1.offset)
        }.map(\.element)
        let starts = ordered.map { $0.since ?? .min } + [.max]
        versions = ordered.indices.map {
            Version(plan: ordered[$0], since: starts[$0], until: starts[$0 + 1])
        }.filter { $0.since < $0.until }
    }

    /// Every metric of every version.
    var metrics: [KnownMetric] { versions.flatMap(\.plan.metrics) }

    /// What a metric counted in a period: one stretch, unless its events or clients were edited within it.
    func stretches(of name: String, in period: AuditPeriod) -> [Stretch] {
        var found: [Stretch] = []
        for version in versions {
            let (since, until) = (version.since.value, version.until.value)
            guard let metric = version.plan.metrics.first(where: { $0.name == name }), since < period.end,
                until > period.start
            else { continue }
            let part = AuditPeriod(
                start: max(since, period.start), end: min(until, period.end), revision: period.revision)
            if let last = found.last, last.period.end == part.start, last.metric.events == metric.events,
                last.metric.clients == metric.clients
            {
                found[found.count - 1] = Stretch(
                    metric: last.metric,
                    period: AuditPeriod(start: last.period.start, end: part.end, revision: period.revision))
            } else {
                found.append(Stretch(metric: metric, period: part))
            }
        }
        if found.isEmpty {
            // Numbers of a time of which there is no plan go by the one that comes nearest.
            let known = versions.filter { version in version.plan.metrics.contains { $0.name == name } }
            let nearest = known.first { $0.since.value >= period.end } ?? known.last
            if let metric = nearest?.plan.metrics.first(where: { $0.name == name }) {
                found.append(Stretch(metric: metric, period: period))
            }
        }
        return found
    }

    /// The most devices that any version asked for that was in force since a period began.
    func threshold(of name: String, since period: AuditPeriod) -> Int64 {
        versions.filter { $0.until.value > period.start }.flatMap(\.plan.metrics).filter { $0.name == name }
            .map(\.threshold).max() ?? 0
    }
}
