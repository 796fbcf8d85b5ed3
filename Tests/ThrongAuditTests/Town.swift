import ThrongAudit

/// Tables of small towns, as a naive publisher and a careful one release them. k = 5.
enum Town {
    static let k: Int64 = 5
    static let day: Int64 = 86_400

    static func days(_ from: Int64, _ to: Int64, issue: Int? = nil) -> AuditPeriod {
        AuditPeriod(start: from * day, end: to * day, revision: issue)
    }

    /// A published number.
    static func number(
        _ value: Int64, _ buckets: [String: String] = [:], _ period: AuditPeriod = days(0, 1),
        metric: String = "visits",
        measure: AuditMeasure = .count, source: String = "report"
    ) -> AuditStatement {
        AuditStatement(
            source: source, app: "town", metric: metric, measure: measure,
            region: AuditRegion(period: period, buckets: buckets), value: value)
    }

    /// A published number over several buckets of one dimension.
    static func number(
        _ value: Int64, _ dimension: String, _ labels: [String], _ period: AuditPeriod = days(0, 1),
        source: String = "report"
    ) -> AuditStatement {
        AuditStatement(
            source: source, app: "town", metric: "visits",
            region: AuditRegion(period: period, slices: [.init(dimension: dimension, labels: labels)]), value: value)
    }

    static func family(
        _ axes: [String: [String]], _ period: AuditPeriod = days(0, 1), metric: String = "visits",
        measures: [AuditMeasure] = [.count], source: String = "report"
    ) -> AuditFamily {
        AuditFamily(
            source: source, app: "town", metric: metric, measures: measures, period: period, threshold: k,
            axes: axes.map { .init(dimension: $0.key, alternatives: $0.value.map { [$0] }) })
    }

    static func input(
        _ dimensions: [String: [String]], _ families: [AuditFamily], _ statements: [AuditStatement]
    ) -> AuditInput {
        var input = AuditInput(
            plan: AuditPlan(
                dimensions: dimensions.sorted { $0.key < $1.key }.map { .init(name: $0.key, elements: $0.value) }))
        input.families = families
        input.statements = statements
        return input
    }

    static func audit(_ input: AuditInput, _ change: (inout AuditOptions) -> Void = { _ in }) -> AuditReport {
        var options = AuditOptions()
        options.seconds = 20
        change(&options)
        return Auditor(options: options).audit(input)
    }
}

extension AuditReport {
    /// The pin of a target that names all of these words.
    func pin(_ kind: AuditFinding.Kind, _ words: String...) -> AuditFinding? {
        pins.first { pin in pin.kind == kind && words.allSatisfy { pin.target.contains($0) } }
    }
}

extension AuditFinding {
    /// "1×100 -1×60 …": the coefficients and values of the first certificate, sorted.
    var arithmetic: [String] {
        (certificates.first?.steps ?? []).map { step in
            "\(step.coefficient)×\(step.number.split(separator: " ").last ?? "")"
        }.sorted()
    }
}
