package import Foundation

extension Plan {
    /// Returns what everybody may know of this plan.
    ///
    /// - Throws: ``BucketingProblem`` where this machine can't compile a bucketing that the plan's reader could.
    package func publicPlan() throws(BucketingProblem) -> PublicPlan {
        let metrics = try metrics.map { metric throws(BucketingProblem) in
            published(metric, try provedFirsts(of: metric))
        }
        let dimensions = try dimensions.map { dimension throws(BucketingProblem) in
            PublicPlan.Dimension(
                name: dimension.name, title: dimension.title, field: dimension.field, rule: dimension.rule,
                buckets: dimension.isRevealed ? [.other] : try dimension.rule.labels(),
                partitionsDevices: dimension.partitionsDevices)
        }
        return PublicPlan(
            app: app.name, title: app.title, contact: app.contact, timeZone: app.timeZone, version: version.hex,
            threshold: app.threshold.devices, purposes: purposes.map(published), dimensions: dimensions,
            derivedDimensions: derivedDimensions.map {
                PublicPlan.DerivedDimension(
                    name: $0.name, title: $0.title, of: $0.base, groups: $0.groups,
                    partitionsDevices: $0.partitionsDevices)
            },
            metrics: metrics,
            recipients: partners.map { partner in
                PublicPlan.Recipient(
                    name: partner.name, title: partner.title, contact: partner.contact,
                    insights: insights(for: partner.name).map(\.title))
            },
            directedTo: app.directedTo == .general ? nil : app.directedTo, translations: publicTranslations,
            relay: app.relay, evaluator: app.evaluator)
    }

    /// The texts that clients show, by language and place; nil if none is in several languages.
    private var publicTranslations: [String: [String: String]]? {
        var found: [String: [String: String]] = [:]
        let others = ["insights.", "reports.", "annotations."]
        for (place, words) in translations.words
        where !others.contains(where: { place.hasPrefix($0) }) && !place.contains(".titles.") {
            for (tag, text) in words.texts { found[tag.text, default: [:]][place] = text }
        }
        return found.isEmpty ? nil : found
    }

    /// Returns the answer to `GET /v1/plan/APP`: ``PublicPlan`` as JSON with sorted keys, the same bytes everywhere.
    ///
    /// - Throws: ``BucketingProblem``, and what `JSONEncoder` throws.
    package func publicDocument() throws -> Data {
        try JSONEncoder.stable(keys: .convertToSnakeCase).encode(try publicPlan())
    }

    /// Returns the insights of a partner's reports, each once.
    func insights(for partner: PartnerName) -> [Insight] {
        var found: [Insight] = []
        for name in reports.filter({ $0.partner == partner }).flatMap(\.insights) {
            if let insight = insight(name), !found.contains(insight) { found.append(insight) }
        }
        return found
    }

    private func published(_ purpose: Purpose) -> PublicPlan.Purpose {
        PublicPlan.Purpose(
            name: purpose.name, explanation: purpose.explanation, needsConsent: purpose.needsConsent,
            refusedBy: purpose.refusedBy.sorted { $0.rawValue < $1.rawValue },
            rotationSeconds: purpose.rotation.seconds, retentionSeconds: purpose.retention.components.seconds,
            contextFields: contextFields(of: purpose.name).sorted(),
            events: events(of: purpose.name).map {
                PublicPlan.Event(name: $0, fields: fields(of: $0, purpose: purpose.name).sorted())
            },
            use: purpose.use, consentOfParent: purpose.needsParent ? true : nil,
            consentVersion: purpose.consentVersion, identifier: purpose.hasIdentifiers ? nil : purpose.identifier,
            floor: purpose.floor == .any ? nil : purpose.floor,
            transport: purpose.transport == .direct ? nil : purpose.transport,
            senders: purpose.senders == .anybody ? nil : purpose.senders)
    }

    private func published(_ answer: DeviceAnswer) -> PublicPlan.Answered {
        switch answer {
        case .retention(let events, let weeks): .init(retention: .init(of: events, weeks: weeks), frequency: nil)
        case .frequency(let events, let bands):
            .init(retention: nil, frequency: .init(of: events, per: .week, bands: bands.map(Double.init)))
        }
    }

    private func published(_ within: WindowMeasure) -> PublicPlan.Within {
        switch within.kind {
        case .frequency(let bands): .init(name: within.name, frequency: .init(bands: bands), funnel: nil)
        case .funnel(let steps):
            .init(
                name: within.name, frequency: nil,
                funnel: .init(
                    steps: steps.map { step in
                        .init(
                            title: step.title, event: step.event,
                            filters: step.filters.map { .init(dimension: $0.dimension, bucket: $0.bucket) })
                    }))
        }
    }

    private func published(_ metric: Metric, _ firsts: PublicPlan.ProvedFirsts?) -> PublicPlan.Metric {
        PublicPlan.Metric(
            name: metric.name, title: metric.title, question: metric.question, purpose: metric.purpose,
            events: metric.events, dimensions: metric.dimensions, period: metric.period,
            rollups: metric.rollups, sums: metric.sums, histogram: metric.histogram, reach: metric.reach,
            firstGroupings: metric.countsFirsts ? groupingNames(of: metric) : nil,
            firstPeriods: metric.countsFirsts ? metric.firstPeriods : nil, provedFirsts: firsts,
            answered: metric.answered.map(published), within: metric.within.map(published),
            // A client may keep to itself what goes beyond it: that would not have changed anything.
            contributionBound: metric.within?.mostEvents ?? metric.mostContributions, sampling: metric.sampling,
            threshold: metric.threshold.devices, impossible: metric.impossible, expires: metric.expires.description)
    }

    /// Returns the fields of an event that metrics of a purpose use, besides its time and name.
    package func fields(of event: EventName, purpose: PurposeName) -> Set<FieldName> {
        metrics.filter { $0.purpose == purpose && $0.events.contains(event) }
            .reduce(into: []) { $0.formUnion(fields(of: $1).union(stepFields(of: $1, event: event))) }
    }

    /// Returns the fields that events of a purpose may share as their context: whatever any metric of the purpose uses.
    package func contextFields(of purpose: PurposeName) -> Set<FieldName> {
        metrics.filter { $0.purpose == purpose }
            .reduce(into: []) { $0.formUnion(fields(of: $1).union(stepFields(of: $1))) }
    }

    package func events(of purpose: PurposeName) -> [EventName] {
        Set(metrics.filter { $0.purpose == purpose }.flatMap(\.events)).sorted()
    }

    private func fields(of metric: Metric) -> Set<FieldName> {
        Set(cubeDimensions(of: metric).map(\.field) + metric.sums.map(\.field)).subtracting([.time, .event])
    }

    /// Returns the fields of an event by which funnels tell their steps.
    private func stepFields(of metric: Metric, event: EventName? = nil) -> Set<FieldName> {
        let steps = metric.steps.filter { event == nil || $0.event == event }
        let fields = steps.flatMap(\.filters).compactMap { dimension($0.dimension)?.field }
        return Set(fields).subtracting([FieldName.time, .event])
    }
}
