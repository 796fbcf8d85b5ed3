internal import ThrongWire

/// The noise of one published number, worked out from what the plan says: the interactions that it consists of, and
/// their widths.
///
/// A number adds up some of the buckets of its fields. The share of the draws of interaction S in the product of two
/// numbers is a product over the fields. If the numbers add up the buckets A and B of a field's n, its factor is |A∩B|
/// − |A||B|/n for a field in S and |A||B|/n² for another. A draw of S has the variance V / Π(1 − 1/n). Summed over all
/// S, that is a product over the fields again.
struct NumberLaw {
    /// The question, apart from its fields: numbers of other questions have other noise.
    let question: String
    /// The fields that it tells apart, by field and rule.
    let fields: [String: Field]
    /// V of the layer that stays. Unit: the measure's, squared.
    let kept: Double
    /// V of the layer of a period. Unit: the measure's, squared.
    let fresh: Double
    /// The number of periods that it is a sum of.
    let parts: Double
    let period: AuditPeriod
    /// The least standard deviation that is promised of any whole combination: k/4 devices, or k·b/10 events, and
    /// no less than devices have that send one event each.
    let promise: Double

    /// A field that a number tells apart.
    struct Field: Hashable {
        let buckets: Set<String>
        /// The number of the field's buckets.
        let count: Int
    }

    /// The standard deviation of the number.
    var deviation: Double { covariance(with: self).squareRoot() }

    /// The smallest half-width that holds in 19 of 20 cases.
    var margin: Double { Self.normal * deviation }

    /// The excess over k that a number needs to be shown.
    var publication: Double { (Self.normal * deviation + 0.5).rounded(.up) }

    /// The number of standard deviations within which 19 of 20 normal draws lie.
    static let normal = 1.959_964

    /// Returns the covariance of the noise of two numbers.
    ///
    /// - Complexity: O(fields).
    func covariance(with other: NumberLaw) -> Double {
        guard question == other.question else { return 0 }
        let shape = shape(with: other)
        let lasting = min(kept, other.kept) * parts * other.parts
        let passing = period == other.period && fresh == other.fresh ? fresh * min(parts, other.parts) : 0
        return shape * (lasting + passing)
    }

    /// Returns the covariance that noise of variance 1 makes.
    func shape(with other: NumberLaw) -> Double {
        var product = 1.0
        for (name, field) in fields { product *= Self.share(field, other.fields[name]) }
        for (name, field) in other.fields where fields[name] == nil { product *= Self.share(field, nil) }
        return product
    }

    /// Returns a field's factor of the covariance; a number without the field adds up all buckets.
    private static func share(_ field: Field, _ other: Field?) -> Double {
        let n = Double(field.count)
        let one = Double(field.buckets.count)
        guard let other else { return one / n }
        let two = Double(other.buckets.count)
        let both = Double(field.buckets.intersection(other.buckets).count)
        return (both - one * two / n) / (1 - 1 / n) + one * two / (n * n)
    }

    /// Returns the square of the rung of kept noise that is as wide as asked, or wider: 5, 10, 20, 30, 40, 50, 70, 100,
    /// 140, 200, 280, 400 and so on. Unit: devices, squared.
    static func rung(reaching square: Double) -> Double {
        let first: [Double] = [5, 10, 20, 30, 40, 50, 70]
        if let rung = first.first(where: { $0 * $0 >= square }) { return rung * rung }
        var (rung, isFull) = (100.0, true)
        while rung * rung < square {
            rung = (isFull ? rung * 1.4 : rung / 1.4 * 2).rounded()
            isFull.toggle()
        }
        return rung * rung
    }
}

extension AuditMetric {
    /// Returns the law of one of its numbers; nil if the number is by something that does not split the metric.
    func law(of number: AuditNumber) -> NumberLaw? {
        let isDevices = number.measure == .devices
        var unit = 1.0 / 16
        // No number of events is nearer than one of devices that send one each.
        let eventUnit = max(Double(bound) * Double(bound) / 100, unit)
        var (square, measure) = (Double(threshold * threshold), "devices")
        var isWide = isDevices || countsIdentifiers
        switch number.measure {
        case .devices: measure = knows.map { "\($0) in a \(number.period.kind.rawValue)" } ?? "identifiers"
        case .events where countsIdentifiers: measure = "identifiers"
        case .events:
            unit = eventUnit
            measure = "events, \(bound)"
        case .sum(let name):
            guard let sum = sums.first(where: { $0.name == name }) else { return nil }
            unit = sum.most * sum.most * eventUnit
            measure = "\(sum.text), \(bound)"
            isWide = false
        }
        square *= Double(isWide ? factors.devices : factors.events)
        guard let split = fields(of: number, onlyDevices: isDevices) else { return nil }
        let named = events?.sorted().joined(separator: "+") ?? "events of \(name)"
        return NumberLaw(
            question: ([app, named, audience, terms, measure] + split.occasions).joined(separator: " | "),
            fields: split.fields, kept: unit * NumberLaw.rung(reaching: square), fresh: unit * square,
            parts: isDevices ? 1 : number.period.parts(of: period), period: number.period,
            promise: (unit * Double(threshold * threshold)).squareRoot())
    }

    /// Returns the fields that draws are shared over, and the buckets of others, which are asked apart.
    private func fields(
        of number: AuditNumber, onlyDevices: Bool
    ) -> (fields: [String: NumberLaw.Field], occasions: [String])? {
        var fields: [String: NumberLaw.Field] = [:]
        var occasions: [String] = []
        for (name, buckets) in number.buckets.sorted(by: { $0.key < $1.key }) {
            guard let place = dimension(name) else { return nil }
            let dimension = dimensions[place]
            if onlyDevices, !dimension.partitionsDevices {
                occasions.append("\(dimension.field) \(dimension.rule) \(buckets.sorted())")
                continue
            }
            let base = dimension.base.map { dimensions[$0.place] } ?? dimension
            var held = buckets
            if let groups = dimension.base?.buckets {
                held = buckets.reduce(into: []) { $0.formUnion(groups[$1] ?? []) }
            }
            guard base.labels.count > 1 else { continue }
            guard !held.isEmpty, held.count <= base.labels.count else { return nil }
            let field = "\(base.field) \(base.rule)"
            let kept = fields[field].map { $0.buckets.intersection(held) } ?? held
            guard !kept.isEmpty else { return nil }
            fields[field] = NumberLaw.Field(buckets: kept, count: base.labels.count)
        }
        return (fields, occasions)
    }
}
