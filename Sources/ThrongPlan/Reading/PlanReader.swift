/// Turns a plan's tree into a ``Plan``, and notes everything that is wrong with it on the way.
///
/// A part that cannot be read is left out and its problem noted. Parts that refer to it are then checked as far as they
/// can be, so that one slip is one problem. A plan comes out only if there was no problem.
struct PlanReader {
    /// The date that expiry dates are measured against.
    let today: CalendarDate
    var problems: ProblemList

    /// Names that the plan declares, also those whose bodies could not be read.
    var declared: [PlanPart: [String]] = [:]
    var buckets: [DimensionName: [BucketLabel]] = [:]
    /// The buckets of every metric's histogram that could be read.
    var bandsOf: [MetricName: [BucketLabel]] = [:]
    var app: App?
    var purposes: [Purpose] = []
    var dimensions: [Dimension] = []
    /// Dimensions that are made of others, to be read after those.
    var derivedBodies: [(name: String, body: PlanBody<PlanKeys.Dimension>)] = []
    /// The base of each derived dimension, as far as it could be read.
    var bases: [DimensionName: DimensionName] = [:]
    var derivedDimensions: [DerivedDimension] = []
    var metrics: [Metric] = []
    var insights: [Insight] = []
    var reports: [Report] = []
    var partners: [Partner] = []
    var annotations: [Annotation] = []
    var places: PlanPlaces
    var translations = PlanTranslations()

    init(file: String, today: CalendarDate) {
        self.today = today
        problems = ProblemList(file: file)
        places = PlanPlaces(file: file)
    }

    mutating func plan(from root: YAMLNode, version: PlanVersion) -> Plan? {
        guard let body = body(PlanValue(node: root, subject: "the plan"), PlanKeys.Root.self) else { return nil }
        let purposes = section(body[.purposes], .purpose)
        let dimensions = section(body[.dimensions], .dimension)
        let partners = section(body[.partners], .partner)
        let metrics = section(body[.metrics], .metric)
        let insights = section(body[.insights], .insight)
        let reports = section(body[.reports], .report)
        let annotations = section(body[.annotations], .annotation)
        if let app = body[.app] { readApp(app.node, at: body.keyPlaces[.app]) }
        for part in purposes { readPurpose(part) }
        for part in dimensions { readDimension(part) }
        for (name, body) in derivedBodies { readDerivedDimension(name, body) }
        for part in partners { readPartner(part) }
        for part in metrics { readMetric(part) }
        for part in insights { readInsight(part) }
        for part in reports { readReport(part) }
        for part in annotations { readAnnotation(part) }
        guard problems.all.isEmpty, let app else { return nil }
        if self.reports.contains(where: { $0.publicity != nil }) {
            let title = Language.english.say(.everybody)
            self.partners.append(Partner(name: Partner.everybody, title: title, contact: app.contact))
        }
        let plan = Plan(
            app: app, purposes: self.purposes, dimensions: self.dimensions, derivedDimensions: derivedDimensions,
            metrics: self.metrics, insights: self.insights, reports: self.reports, partners: self.partners,
            version: version, places: places, translations: translations, annotations: self.annotations)
        checkGroupings(of: plan)
        for problem in plan.problems() { problems.add(problem) }
        return problems.all.isEmpty ? plan : nil
    }

    struct Part {
        let name: String
        let place: YAMLNode.Place
        let value: PlanValue
    }

    /// Reads the parts of a section; notes names that are ill-formed or repeated.
    private mutating func section(_ value: PlanValue?, _ kind: PlanPart) -> [Part] {
        guard let node = value?.node else { return [] }
        let value = PlanValue(node: node, subject: "'\(kind.section)'")
        guard let entries = value.entries else {
            return problems.refuse(value, allowed: "a mapping of names to \(kind.section) is allowed") ?? []
        }
        if entries.isEmpty, kind == .purpose || kind == .metric {
            problems.add(value, it: "is empty; a plan needs at least one \(kind.rawValue)")
        }
        var first: [String: YAMLNode.Place] = [:]
        var parts: [Part] = []
        for entry in entries {
            let (name, place) = (entry.key, entry.place)
            if let line = first[name]?.line {
                let subject = "\(kind.rawValue) \(YAMLNode.quoted(name))"
                problems.add(place, "\(subject) is already declared in line \(line); rename one of them")
                continue
            }
            first[name] = place
            declared[kind, default: []].append(name)
            guard checkName(name, at: place, noun: kind.rawValue) else { continue }
            places.set(line: place.line, column: place.column, of: kind, named: name)
            let value = PlanValue(node: entry.value, subject: "\(kind.rawValue) '\(name)'")
            parts.append(Part(name: name, place: place, value: value))
        }
        return parts
    }

    mutating func body<Key>(of part: Part, _ keys: Key.Type) -> PlanBody<Key>? {
        body(part.value, keys, at: part.place)
    }

    /// Reads a mapping's body; notes unknown, repeated and missing keys.
    ///
    /// - Parameter place: the place at which what is missing is noted; nil for the value's own.
    mutating func body<Key>(_ value: PlanValue?, _: Key.Type, at place: YAMLNode.Place? = nil) -> PlanBody<Key>? {
        guard let value else { return nil }
        let (subject, place) = (value.subject, place ?? value.place)
        guard let entries = value.entries else {
            return problems.refuse(
                value.node.isEmpty ? place : value.place,
                "\(subject): found \(value.node.found); a mapping with \(Key.names.joined(separator: ", ")) is allowed")
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
