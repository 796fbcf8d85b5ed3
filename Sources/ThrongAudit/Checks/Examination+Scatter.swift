internal import ThrongWire

extension Examination {
    /// A number over its periods; sums over longer ones, and other ways of counting, are other series.
    private struct Series: Hashable {
        let question: String
        let metric: String
        let kind: String
        let fields: String
        let place: String
    }

    /// Repeated questions.
    private var series: [(key: Series, places: [Int])] {
        var found: [Series: [Int]] = [:]
        for (place, law) in laws.enumerated() where law.parts == 1 {
            let series = Series(
                question: law.question, metric: numbers[place].metric, kind: law.period.kind.rawValue,
                fields: law.fields.keys.sorted().joined(separator: ", "), place: law.place)
            found[series, default: []].append(place)
        }
        return found.filter { $0.value.count > 1 }
            .map { (key: $0.key, places: $0.value.sorted { laws[$0].period < laws[$1].period }) }
            .sorted { ($0.places.min() ?? 0) < ($1.places.min() ?? 0) }
    }

    /// Counts the comparisons of two days, and of a day with the mean of others, and looks at the closest.
    func checkDays(_ report: inout AuditReport) {
        for (_, places) in series {
            let law = laws[places[0]]
            report.days += places.count - 1
            // The kept layer cancels; the mean of n others leaves an nth of the fresh one.
            let others = Double(places.count - 1)
            let variance = law.fresh * law.shape(with: law) * (1 + 1 / others)
            guard variance.squareRoot() < 0.999 * law.promise else { continue }
            report.find(
                .closeness, numbers[places[0]].text,
                "a day less the mean of \(places.count - 1) others has a standard deviation of "
                    + AuditText.number(variance.squareRoot()))
        }
    }

    /// Checks that a series scatters about its mean by the fresh layer at least: what people do only adds.
    func checkScatter(_ report: inout AuditReport) {
        // Numbers of one grouping are nearly independent; those of several are not.
        var groupings: [String: [String: (square: ChiSquare, count: Int)]] = [:]
        for (key, places) in series {
            let mean = places.reduce(0) { $0 + numbers[$1].value } / Double(places.count)
            guard let law = places.first.map({ laws[$0] }), isAlwaysShown(places[0], mean) else { continue }
            let variance = law.fresh * law.shape(with: law)
            let sum = places.reduce(0) { $0 + (numbers[$1].value - mean) * (numbers[$1].value - mean) } / variance
            let question = "\(key.metric) \(numbers[places[0]].measure) in a \(key.kind)"
            var grouping = groupings[question]?[key.fields] ?? (square: ChiSquare(), count: 0)
            grouping.square.add(sum, freedom: places.count - 1)
            grouping.count += 1
            groupings[question, default: [:]][key.fields] = grouping
        }
        for (question, groupings) in groupings.sorted(by: { $0.key < $1.key }) {
            for (_, grouping) in groupings.sorted(by: { $0.key < $1.key }) where grouping.square.isTelling {
                report.squares += grouping.square.freedom
                guard grouping.square.isTooSmall else { continue }
                report.find(
                    .scatter, question,
                    "\(grouping.count) numbers scatter over their days by \(AuditText.number(grouping.square.sum)), "
                        + "and the noise of a day alone adds \(grouping.square.freedom)")
            }
        }
    }

    /// True if a number is shown however it was drawn: one that comes and goes scatters by less.
    private func isAlwaysShown(_ place: Int, _ mean: Double) -> Bool {
        guard numbers[place].measure == .devices || metrics[place].countsIdentifiers else { return true }
        let law = laws[place]
        return mean > Double(metrics[place].threshold) + law.publication + 4 * law.deviation
    }

    /// Checks numbers of events of several metrics, such as A, B and both: they may depart from what their events allow
    /// by the noise of all of them.
    ///
    /// The mean over days has the kept layer, and the rest of a day has the fresh one; the two are independent.
    func checkRelations(_ report: inout AuditReport) {
        /// The numbers by place and period, one for each question.
        var places: [String: [AuditPeriod: [String: Int]]] = [:]
        for (place, law) in laws.enumerated()
        where law.parts == 1 && numbers[place].measure == .events && !metrics[place].countsIdentifiers {
            guard metrics[place].events != nil else { continue }
            let key = "\(numbers[place].app) | \(law.period.kind.rawValue) | \(metrics[place].crowd) | \(law.place)"
            places[key, default: [:]][law.period, default: [:]][law.question] = place
        }
        // A total's residual is the sum of its parts', so one grouping is taken.
        var squares: [[String]: ChiSquare] = [:]
        for (_, periods) in places.sorted(by: { $0.key < $1.key }) {
            guard let most = periods.values.max(by: { $0.count < $1.count }), most.count > 2 else { continue }
            let questions = most.keys.sorted()
            let days = periods.filter { $0.value.count == most.count && $0.value.keys.sorted() == questions }
                .sorted { $0.key < $1.key }.map { day in questions.compactMap { day.value[$0] } }
            guard let fields = days.first?.first.map({ laws[$0].fields.keys.sorted() }) else { continue }
            add(days, to: &squares[fields, default: ChiSquare()])
        }
        guard let square = squares.values.max(by: { $0.freedom < $1.freedom }) else { return }
        report.squares += square.freedom
        guard square.isTelling, square.isTooSmall else { return }
        report.find(
            .scatter, "numbers of events that overlap",
            "what their events allow is missed by \(AuditText.number(square.sum)), and the noise of independent "
                + "questions adds \(square.freedom)")
    }

    /// Adds the residuals of one place: those of each day from their mean, and that of the mean.
    private func add(_ days: [[Int]], to square: inout ChiSquare) {
        guard let first = days.first else { return }
        let rows = Linear.rows(of: first.map { metrics[$0].events ?? [] })
        let count = Double(days.count)
        let means = first.indices.map { place in days.reduce(0) { $0 + numbers[$1[place]].value } / count }
        let shapes = first.map { laws[$0].shape(with: laws[$0]) }
        let fresh = zip(first, shapes).map { laws[$0].fresh * $1 }
        let lasting = zip(first, shapes).map { (laws[$0].kept + laws[$0].fresh / count) * $1 }
        guard let whole = Linear.residual(means, rows, variances: lasting), whole.freedom > 0 else { return }
        square.add(whole.sum, freedom: whole.freedom)
        guard days.count > 1 else { return }
        for day in days {
            let off = zip(day, means).map { numbers[$0].value - $1 }
            guard let rest = Linear.residual(off, rows, variances: fresh) else { continue }
            square.add(rest.sum, freedom: 0)
        }
        square.add(0, freedom: whole.freedom * (days.count - 1))
    }
}
