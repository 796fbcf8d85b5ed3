internal import ThrongNoise

extension PlanReader {
    private enum Mechanism: String, CaseIterable { case laplace, gaussian }

    /// Reads a purpose's `budget`.
    mutating func budget(_ node: YAMLNode, _ subject: String) -> PrivacyBudget? {
        guard let body: PlanBody<PlanKeys.Budget> = body(of: node, subject, at: node.place) else { return nil }
        let span: BudgetSpan? = choice(.per, in: body)
        let total: PrivacyLoss?
        switch (body[.epsilon], body[.rho]) {
        case (let node?, nil): total = exact(node, body.subject(.epsilon)).map { .epsilon($0) }
        case (nil, let node?): total = exact(node, body.subject(.rho)).map { .rho($0) }
        default:
            problems.add(node.place, "\(subject): a budget has exactly one of 'epsilon' and 'rho'")
            total = nil
        }
        guard let span, let total else { return nil }
        do {
            return try PrivacyBudget(total: total, per: span)
        } catch {
            problems.add(node.place, "\(subject): \(error)")
            return nil
        }
    }

    /// Reads a metric's `noise`, and notes what cannot stand beside it.
    ///
    /// - Parameter identifier: that of the metric's purpose; nil where it could not be read.
    mutating func noise(
        _ node: YAMLNode, in metric: PlanBody<PlanKeys.Metric>, identifier: PurposeIdentifier?
    ) -> (mechanism: NoiseMechanism, unit: NoiseUnit)? {
        let subject = metric.subject(.noise)
        for key in [PlanKeys.Metric.threshold, .protection, .sensitive] {
            guard let place = metric.keyPlaces[key] else { continue }
            problems.add(
                place,
                """
                \(metric.subject(key)) has no effect beside 'noise': no number of a noisy metric is withheld; leave it \
                out
                """
            )
        }
        if let place = metric.keyPlaces[.rollups] {
            problems.add(
                place,
                """
                \(metric.subject(.rollups)) does not go with 'noise': sums of noisy numbers over longer periods would \
                have another margin of error; leave it out, or count longer periods
                """
            )
        }
        guard let body: PlanBody<PlanKeys.Noise> = body(of: node, subject, at: node.place) else { return nil }
        let mechanism: Mechanism? = choice(.mechanism, in: body)
        let standard: NoiseUnit = identifier == .absent ? .event : .window
        let unit: NoiseUnit = body[.unit] == nil ? standard : choice(.unit, in: body) ?? standard
        checkUnit(unit, of: identifier, in: body, metric)
        if unit == .device, let place = metric.keyPlaces[.contributionBound] {
            problems.add(
                place,
                """
                \(metric.subject(.contributionBound)) does not go with 'unit: device': an identifier counts once in a \
                cell; leave it out, or say with 'cells_bound' in how many cells
                """
            )
        }
        switch (mechanism, body[.epsilon], body[.rho]) {
        case (.laplace, let epsilon?, nil):
            return exact(epsilon, body.subject(.epsilon)).map { (.laplace(epsilon: $0), unit) }
        case (.gaussian, nil, let rho?):
            return exact(rho, body.subject(.rho)).map { (.gaussian(rho: $0), unit) }
        case (.laplace, _, _):
            problems.add(node.place, "\(subject): laplace has 'epsilon' and nothing else")
        case (.gaussian, _, _):
            problems.add(node.place, "\(subject): gaussian has 'rho' and nothing else")
        case (nil, _, _):
            break
        }
        return nil
    }

    /// Notes noise that hides what a purpose does not know, and what bounds nothing of an event.
    private mutating func checkUnit(
        _ unit: NoiseUnit, of identifier: PurposeIdentifier?, in body: PlanBody<PlanKeys.Noise>,
        _ metric: PlanBody<PlanKeys.Metric>
    ) {
        switch (identifier, unit) {
        case (.rotating, .event):
            problems.add(
                body.keyPlaces[.unit],
                """
                \(body.subject(.unit)) is event, which is for purposes with 'identifier: none'; where there are identifiers, \
                'window' and 'device' hide more
                """)
        case (.absent, .window), (.absent, .device):
            problems.add(
                body.keyPlaces[.unit],
                """
                \(body.subject(.unit)) is \(unit.rawValue), which takes identifiers, and its purpose has 'identifier: none'; \
                delete it, as only 'event' is allowed there
                """)
        case (.absent, .event):
            if let place = metric.keyPlaces[.cellsBound] {
                problems.add(
                    place,
                    """
                    \(metric.subject(.cellsBound)) does not go with 'identifier: none': an event is in one cell; leave it out
                    """)
            }
        default: break
        }
    }

    /// Reads a metric's `cells_bound`.
    mutating func cellsBound(in metric: PlanBody<PlanKeys.Metric>, bound: Int) -> Int? {
        guard let cells = integer(.cellsBound, in: metric, 1...bound) else { return nil }
        guard metric.keyPlaces[.noise] != nil else {
            problems.add(
                metric.keyPlaces[.cellsBound],
                "\(metric.subject(.cellsBound)) has no effect without 'noise'; leave it out, or give the metric noise")
            return nil
        }
        return cells
    }

    /// An exact number above 0, read as text: floating point would lose what the budget adds up.
    private mutating func exact(_ node: YAMLNode, _ subject: String) -> Rational? {
        guard case .scalar(let written, _) = node.content else {
            problems.add(node.place, "\(subject): found \(node.found); an exact number such as 1/2 or 0.5 is allowed")
            return nil
        }
        do {
            let number = try Rational(parsing: written)
            guard number.isPositive else { throw NoiseError.notPositive(.privacyLoss) }
            return number
        } catch {
            problems.add(node.place, "\(subject): found \(node.found): \(error)")
            return nil
        }
    }
}
