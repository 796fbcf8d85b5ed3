/// Turns a plan's tree into a ``Plan``, and notes everything that is wrong with it on the way.
///
/// A part that cannot be read is left out and its problem noted. Parts that refer to it are then checked as far as they
/// can be, so that one slip is one problem. A plan comes out only if there was no problem.
struct PlanReader {
    /// The date that expiry dates are measured against.
    let today: CalendarDate
    var problems: ProblemList

    /// Names that the plan declares, also those whose bodies could not be read.
    var declared = PlanNames()
    /// The buckets of every dimension that could be read.
    var buckets: [DimensionName: [BucketLabel]] = [:]
    /// The buckets of every metric's histogram that could be read.
    var bandsOf: [MetricName: [BucketLabel]] = [:]
    var app: App?
    var purposes: [Purpose] = []
    var dimensions: [Dimension] = []
    /// Dimensions that are made of others, to be read after those.
    var derivedBodies: [(part: Part, body: PlanBody<PlanKeys.Dimension>)] = []
    /// The base of each derived dimension, as far as it could be read.
    var bases: [DimensionName: DimensionName] = [:]
    var derivedDimensions: [DerivedDimension] = []
    var metrics: [Metric] = []
    var insights: [Insight] = []
    var reports: [Report] = []
    var partners: [Partner] = []
    var places = PlanPlaces(file: "")
    var translations = PlanTranslations()

    init(file: String, today: CalendarDate) {
        self.today = today
        problems = ProblemList(file: file)
        places = PlanPlaces(file: file)
    }

    mutating func plan(from root: YAMLNode, version: PlanVersion) -> Plan? {
        guard let body: PlanBody<PlanKeys.Root> = body(of: root, "the plan", at: root.place) else { return nil }
        let purposes = section(body[.purposes], .purpose)
        let dimensions = section(body[.dimensions], .dimension)
        let partners = section(body[.partners], .partner)
        let metrics = section(body[.metrics], .metric)
        let insights = section(body[.insights], .insight)
        let reports = section(body[.reports], .report)
        if let app = body[.app] { readApp(app, at: body.keyPlaces[.app] ?? app.place) }
        for part in purposes { readPurpose(part) }
        for part in dimensions { readDimension(part) }
        for (part, body) in derivedBodies { readDerivedDimension(part, body) }
        for part in partners { readPartner(part) }
        for part in metrics { readMetric(part) }
        for part in insights { readInsight(part) }
        for part in reports { readReport(part) }
        guard problems.all.isEmpty, let app else { return nil }
        let plan = Plan(
            app: app, purposes: self.purposes, dimensions: self.dimensions, derivedDimensions: derivedDimensions,
            metrics: self.metrics, insights: self.insights, reports: self.reports, partners: self.partners,
            version: version, places: places, translations: translations)
        checkGroupings(of: plan)
        // Each part is right by itself; these look at several together.
        let found =
            plan.answerProblems() + plan.marginProblems() + plan.revealedProblems() + plan.samplingProblems()
            + plan.withinProblems() + plan.networkProblems() + plan.childrenProblems() + plan.identifierProblems()
            + plan.floorProblems() + plan.provedFirstsProblems() + plan.transportProblems()
            + plan.evaluatorProblems()
        for problem in found {
            problems.add(problem)
        }
        return problems.all.isEmpty ? plan : nil
    }

    struct Part {
        let name: String
        let place: YAMLNode.Place
        let node: YAMLNode
    }

    /// Reads the parts of a section; notes names that are ill-formed or repeated.
    private mutating func section(_ node: YAMLNode?, _ kind: PlanPart) -> [Part] {
        guard let node else { return [] }
        let subject = "'\(kind.section)'"
        guard case .mapping(let entries) = node.content else {
            return problems.refuse(node, subject, "a mapping of names to \(kind.section) is allowed") ?? []
        }
        if entries.isEmpty, kind == .purpose || kind == .metric {
            problems.add(node.place, "\(subject) is empty; a plan needs at least one \(kind.rawValue)")
        }
        var first: [String: YAMLNode.Place] = [:]
        var parts: [Part] = []
        for entry in entries {
            if let place = first[entry.key] {
                problems.add(
                    entry.place,
                    """
                    \(kind.rawValue) \(YAMLNode.quoted(entry.key)) is already declared in line \(place.line); rename \
                    one of them
                    """)
                continue
            }
            first[entry.key] = entry.place
            declared.insert(entry.key, as: kind)
            guard checkName(entry.key, at: entry.place, noun: kind.rawValue) else { continue }
            places.set(line: entry.place.line, column: entry.place.column, of: kind, named: entry.key)
            parts.append(Part(name: entry.key, place: entry.place, node: entry.value))
        }
        return parts
    }

    mutating func body<Key: PlanKey>(of part: Part, _ kind: PlanPart) -> PlanBody<Key>? {
        body(of: part.node, "\(kind.rawValue) '\(part.name)'", at: part.place)
    }

    /// Reads a mapping's body; notes unknown, repeated and missing keys.
    mutating func body<Key: PlanKey>(
        of node: YAMLNode, _ subject: String, at place: YAMLNode.Place
    ) -> PlanBody<Key>? {
        guard case .mapping(let entries) = node.content else {
            return problems.refuse(
                node.isEmpty ? place : node.place,
                "\(subject): found \(node.found); a mapping with \(Key.names.joined(separator: ", ")) is allowed")
        }
        var values: [Key: YAMLNode] = [:]
        var first: [Key: YAMLNode.Place] = [:]
        for entry in entries {
            guard let key = Key(rawValue: entry.key) else {
                let advice = NearestName.advice(for: entry.key, among: Key.names, noun: "keys")
                problems.add(entry.place, "\(subject): unknown key \(YAMLNode.quoted(entry.key))\(advice)")
                continue
            }
            if let place = first[key] {
                problems.add(
                    entry.place, "\(subject): '\(entry.key)' is already given in line \(place.line); keep one of them")
                continue
            }
            first[key] = entry.place
            if entry.value.isEmpty {
                problems.add(entry.place, "\(subject): '\(entry.key)' has no value; give it one or leave the key out")
            } else {
                values[key] = entry.value
            }
        }
        for key in Key.allCases where Key.required.contains(key) && first[key] == nil {
            problems.add(place, "\(subject): '\(key.rawValue)' is missing; add it")
        }
        return PlanBody(subject: subject, place: place, values: values, keyPlaces: first)
    }
}

/// One mapping of a plan whose keys are all known and occur once.
struct PlanBody<Key: PlanKey> {
    /// The mapping's name in messages: "metric 'purchases'".
    let subject: String
    let place: YAMLNode.Place
    /// The value of each key that has one.
    let values: [Key: YAMLNode]
    /// The place of each of its keys.
    let keyPlaces: [Key: YAMLNode.Place]

    subscript(key: Key) -> YAMLNode? { values[key] }

    /// Returns the name of a key's value in messages: "metric 'purchases': 'threshold'".
    func subject(_ key: Key) -> String { "\(subject): '\(key.rawValue)'" }
}

struct ProblemList {
    let file: String
    private(set) var all: [PlanProblem] = []

    mutating func add(_ place: YAMLNode.Place?, _ message: String) {
        add(PlanProblem(file: file, line: place?.line, column: place?.column, message: message))
    }

    /// Notes a problem in place of a value.
    mutating func refuse<Value>(_ place: YAMLNode.Place?, _ message: String) -> Value? {
        add(place, message)
        return nil
    }

    /// Notes that what stands there is not what is allowed.
    mutating func refuse<Value>(_ node: YAMLNode, _ subject: String, _ allowed: String) -> Value? {
        refuse(node.place, "\(subject): found \(node.found); \(allowed)")
    }

    /// Notes a problem, once.
    mutating func add(_ problem: PlanProblem) {
        if !all.contains(problem) { all.append(problem) }
    }

    /// The problems in the order of the lines; those without a place come last.
    var sorted: [PlanProblem] {
        func key(_ problem: PlanProblem, _ place: Int) -> (Int, Int, Int) {
            (problem.line ?? .max, problem.column ?? .max, place)
        }
        return all.enumerated()
            .sorted { key($0.element, $0.offset) < key($1.element, $1.offset) }
            .map(\.element)
    }
}
