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

    /// Reads a name that stands for something outside the plan: an event, a field, a column.
    mutating func name<Thing>(_ value: PlanValue?, noun: String) -> Name<Thing>? {
        guard let value else { return nil }
        guard let written = value.scalar else {
            return problems.refuse(value, allowed: "the name of a \(noun) is allowed")
        }
        return checkName(written, at: value.place, noun: noun, value.subject) ? Name(written) : nil
    }

    /// Reads the name of something that the plan declares.
    mutating func reference<Thing>(_ value: PlanValue?, to part: PlanPart) -> Name<Thing>? {
        reference(value, to: part.rawValue, among: declared[part] ?? [])
    }

    /// Reads a name among known ones.
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
        let names = distinct(value) { reader, value -> Name<Thing>? in
            reader.reference(value, to: noun, among: known)
        }
        return names.flatMap { $0.isWhole ? $0.found : nil }
    }
}
