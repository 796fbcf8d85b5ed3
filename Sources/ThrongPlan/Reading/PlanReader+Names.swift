extension PlanReader {
    /// Longest name. Unit: characters. PostgreSQL cuts identifiers at 63 bytes.
    static var longestName: Int { 63 }

    /// Notes a name that is not 1 to 63 of `a-z`, `0-9` and `_` after a letter.
    mutating func checkName(_ name: String, at place: YAMLNode.Place, noun: String, _ subject: String? = nil) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let isWellFormed =
            name.utf8.first.map(letters.contains) == true && name.utf8.count <= Self.longestName
            && name.utf8.allSatisfy { letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "_") }
        if isWellFormed { return true }
        let subject = subject.map { "\($0): " } ?? ""
        problems.add(
            place,
            """
            \(subject)\(YAMLNode.quoted(name)) is no \(noun) name; 1 to \(Self.longestName) of a-z, 0-9 and _ are \
            allowed, a letter first
            """)
        return false
    }

    /// A name that stands for something outside the plan: an event, a field, a column.
    mutating func name<Key, Thing>(_ key: Key, in body: PlanBody<Key>, noun: String) -> Name<Thing>? {
        body[key].flatMap { name($0, body.subject(key), noun: noun) }
    }

    /// A name that stands for something outside the plan.
    mutating func name<Thing>(_ node: YAMLNode, _ subject: String, noun: String) -> Name<Thing>? {
        guard case .scalar(let written, _) = node.content, !node.isEmpty else {
            return problems.refuse(node, subject, "the name of a \(noun) is allowed")
        }
        return checkName(written, at: node.place, noun: noun, subject) ? Name(written) : nil
    }

    /// The name of something that the plan declares.
    mutating func reference<Key, Thing>(_ key: Key, in body: PlanBody<Key>, to part: PlanPart) -> Name<Thing>? {
        body[key].flatMap { reference($0, body.subject(key), to: part.rawValue, among: declared[part]) }
    }

    /// A name among known ones.
    mutating func reference<Thing>(
        _ node: YAMLNode, _ subject: String, to noun: String, among known: [String]
    ) -> Name<Thing>? {
        guard case .scalar(let written, _) = node.content, !node.isEmpty else {
            return problems.refuse(node, subject, "the name of a \(noun) is allowed")
        }
        if known.contains(written) { return Name(written) }
        let advice = NearestName.advice(for: written, among: known, noun: "\(noun)s")
        return problems.refuse(node.place, "\(subject): unknown \(noun) \(YAMLNode.quoted(written))\(advice)")
    }

    /// A list of names among known ones, without repetition; nil when one is wrong.
    mutating func references<Thing>(
        _ node: YAMLNode, _ subject: String, to noun: String, among known: [String], mayBeEmpty: Bool = false
    ) -> [Name<Thing>]? {
        if mayBeEmpty, case .sequence(let nodes) = node.content, nodes.isEmpty { return [] }
        guard let nodes = list(node, subject) else { return nil }
        var names: [Name<Thing>] = []
        var fine = true
        for node in nodes {
            guard let name: Name<Thing> = reference(node, subject, to: noun, among: known) else {
                fine = false
                continue
            }
            if names.contains(name) {
                problems.add(node.place, "\(subject): '\(name)' is listed twice; keep one")
                fine = false
            }
            names.append(name)
        }
        return fine ? names : nil
    }
}
