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

    // Each reads a value that may not be there; nil is nothing, or something wrong that was noted.

    // MARK: Text

    /// Reads a text of at most so many characters, without surrounding spaces; its line breaks become spaces.
    mutating func text(_ value: PlanValue?, longest: Int = 120) -> String? {
        guard let value else { return nil }
        guard let written = value.scalar else { return problems.refuse(value, allowed: "a text is allowed") }
        let text = written.split { $0.isWhitespace || $0.isNewline }.joined(separator: " ")
        if text.isEmpty { return problems.refuse(value, it: "is empty; write something or leave the key out") }
        if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            return problems.refuse(value, it: "holds a control character; delete it")
        }
        let length = text.unicodeScalars.count
        guard length <= longest else {
            return problems.refuse(value, it: "has \(length) characters; at most \(longest) are allowed")
        }
        return text
    }

    mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(_ value: PlanValue?) -> Choice? {
        guard let value else { return nil }
        let allowed = Choice.allCases.map(\.rawValue)
        let all = allowed.joined(separator: ", ")
        guard let written = value.scalar else { return problems.refuse(value, allowed: "one of \(all) is allowed") }
        if let choice = Choice(rawValue: written) { return choice }
        let meant = NearestName.question(NearestName.nearest(to: written, among: allowed))
        return problems.refuse(value, "found \(YAMLNode.quoted(written))\(meant) allowed: \(all)")
    }

    // MARK: Numbers

    /// Reads a whole number in decimal digits.
    mutating func integer(_ value: PlanValue?, _ range: ClosedRange<Int>) -> Int? {
        guard let value else { return nil }
        guard let number = value.plain.flatMap(Self.integer) else {
            return problems.refuse(
                value,
                allowed: "a whole number from \(range.lowerBound) to \(range.upperBound) is allowed\(Self.hint(value))")
        }
        guard range.contains(number) else {
            return problems.refuse(value, it: "is \(number); \(range.lowerBound) to \(range.upperBound) is allowed")
        }
        return number
    }

    mutating func number(_ value: PlanValue?) -> Double? {
        guard let value else { return nil }
        return value.plain.flatMap(Self.number)
            ?? problems.refuse(value, allowed: "a number such as 10 or 0.5 is allowed")
    }

    /// Returns how a whole number is written that was meant; nothing where none was.
    private static func hint(_ value: PlanValue) -> String {
        guard case .scalar(let written, let isPlain) = value.node.content else { return "" }
        if !isPlain, integer(written) != nil { return ", without quotes" }
        let digits = written.filter { !",_'".contains($0) }
        return digits != written && integer(digits) != nil ? ", without separators: \(digits)" : ""
    }

    private static func integer(_ written: String) -> Int? {
        let digits = written.hasPrefix("-") ? written.dropFirst() : written[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(written)
    }

    private static func number(_ written: String) -> Double? {
        let allowed = Set("0123456789.eE+-".unicodeScalars)
        guard written.unicodeScalars.allSatisfy(allowed.contains), let number = Double(written), number.isFinite else {
            return nil
        }
        return number == 0 ? 0 : number
    }

    mutating func flag(_ value: PlanValue?) -> Bool? {
        guard let value else { return nil }
        return value.plain.flatMap { Bool($0) } ?? problems.refuse(value, allowed: "true or false is allowed")
    }

    // MARK: Time

    /// Reads a length of time such as "15 minutes".
    mutating func duration(_ value: PlanValue?, _ range: ClosedRange<Duration>) -> Duration? {
        guard let value else { return nil }
        guard let duration = value.scalar.flatMap({ Duration(planText: $0) }) else {
            return problems.refuse(
                value, allowed: "a whole number and a unit is allowed, such as 15 minutes, 24 hours, 400 days")
        }
        guard range.contains(duration) else {
            let (least, most) = (range.lowerBound.planText, range.upperBound.planText)
            return problems.refuse(value, it: "is \(duration.planText); \(least) to \(most) is allowed")
        }
        return duration
    }

    mutating func date(_ value: PlanValue?) -> CalendarDate? {
        guard let value else { return nil }
        return value.scalar.flatMap { CalendarDate($0) }
            ?? problems.refuse(value, allowed: "a day that exists is allowed, such as \(today)")
    }

    // MARK: Lists

    /// Reads a list with at least one element.
    mutating func list(_ value: PlanValue?) -> [PlanValue]? {
        guard let value else { return nil }
        guard let elements = value.elements else {
            let hint = if case .scalar(let text, _) = value.node.content { ": [\(text.prefix(40))]" } else { "" }
            return problems.refuse(value, allowed: "a list is allowed\(hint)")
        }
        if elements.isEmpty {
            return problems.refuse(value, it: "is an empty list; name at least one or leave the key out")
        }
        return elements
    }

    /// Reads a list whose elements differ. Those that can't be read or are listed twice are left out.
    ///
    /// - Returns: the elements, and whether none was left out.
    mutating func distinct<Element: Hashable & CustomStringConvertible>(
        _ value: PlanValue?, _ read: (inout Self, PlanValue) -> Element?
    ) -> (found: [Element], isWhole: Bool)? {
        guard let values = list(value) else { return nil }
        var found: [Element] = []
        for value in values {
            guard let element = read(&self, value) else { continue }
            if found.contains(element) {
                problems.add(value, "'\(element)' is listed twice; keep one")
            } else {
                found.append(element)
            }
        }
        return (found, found.count == values.count)
    }

    /// Reads a list of an enumeration's words without repetition.
    mutating func choices<Choice: RawRepresentable<String> & CaseIterable>(_ value: PlanValue?) -> [Choice]? {
        distinct(value) { reader, value in
            let choice: Choice? = reader.choice(value)
            return choice?.rawValue
        }?.found.compactMap { Choice(rawValue: $0) }
    }

    /// Reads a list of texts without repetition.
    mutating func texts(_ value: PlanValue?) -> [(text: String, place: YAMLNode.Place)]? {
        guard let values = list(value) else { return nil }
        var seen: Set<BucketLabel> = []
        var texts: [(text: String, place: YAMLNode.Place)] = []
        for value in values {
            guard let text = text(value) else { continue }
            if seen.insert(BucketLabel(text)).inserted {
                texts.append((text, value.place))
            } else {
                problems.add(value, "\(YAMLNode.quoted(text)) is listed twice; keep one")
            }
        }
        return texts.count == values.count ? texts : nil
    }

    /// Longest name. Unit: characters. PostgreSQL cuts identifiers at 63 bytes.
    static var longestName: Int { 63 }

    /// Notes a name that is not 1 to 63 of `a-z`, `0-9` and `_` after a letter.
    mutating func checkName(_ name: String, at place: YAMLNode.Place, noun: String, _ subject: String? = nil) -> Bool {
        let letters: ClosedRange<UInt8> = 0x61...0x7a
        let isWellFormed =
            name.utf8.first.map(letters.contains) == true && name.utf8.count <= Self.longestName
            && name.utf8.allSatisfy { letters.contains($0) || $0.isDigit || $0 == UInt8(ascii: "_") }
        if isWellFormed { return true }
        let subject = subject.map { "\($0): " } ?? ""
        problems.add(
            place,
            "\(subject)\(YAMLNode.quoted(name)) is no \(noun) name; 1 to \(Self.longestName) of a-z, 0-9 and _ are "
                + "allowed, a letter first")
        return false
    }

    /// Reads a name that stands for something outside the plan: an event, a field, a column.
    mutating func name<Thing>(_ value: PlanValue?, noun: String) -> Name<Thing>? {
        guard let value else { return nil }
        guard let written = value.scalar else {
            return problems.refuse(value, allowed: "the name of a \(noun) is allowed")
        }
        return checkName(written, at: value.place, noun: noun, value.subject) ? Name(written) : nil
    }

    mutating func reference<Thing>(_ value: PlanValue?, to part: PlanPart) -> Name<Thing>? {
        reference(value, to: part.rawValue, among: declared[part] ?? [])
    }

    mutating func reference<Thing>(_ value: PlanValue?, to noun: String, among known: [String]) -> Name<Thing>? {
        guard let value else { return nil }
        guard let written = value.scalar else {
            return problems.refuse(value, allowed: "the name of a \(noun) is allowed")
        }
        if known.contains(written) { return Name(written) }
        let advice = NearestName.advice(for: written, among: known, noun: "\(noun)s")
        return problems.refuse(value, "unknown \(noun) \(YAMLNode.quoted(written))\(advice)")
    }

    /// Reads a list of names among known ones, without repetition; nil when one is wrong.
    mutating func references<Thing>(
        _ value: PlanValue?, to noun: String, among known: [String], mayBeEmpty: Bool = false
    ) -> [Name<Thing>]? {
        if mayBeEmpty, value?.elements?.isEmpty == true { return [] }
        let names = distinct(value) { reader, value -> Name<Thing>? in reader.reference(value, to: noun, among: known) }
        return names.flatMap { $0.isWhole ? $0.found : nil }
    }
}
