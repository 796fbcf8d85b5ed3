/// One of the five fields of a schedule: its numbers, their names, and the reading of a text as a set.
struct CronField: Sendable {
    let name: String
    let range: ClosedRange<Int>
    var names: [String: Int] = [:]

    static let minute = CronField(name: "minute", range: 0...59)
    static let hour = CronField(name: "hour", range: 0...23)
    static let dayOfMonth = CronField(name: "day of month", range: 1...31)
    static let month = CronField(
        name: "month", range: 1...12,
        names: [
            "jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10,
            "nov": 11, "dec": 12,
        ])
    /// 0 and 7 are Sunday.
    static let dayOfWeek = CronField(
        name: "day of week", range: 0...7,
        names: ["sun": 0, "mon": 1, "tue": 2, "wed": 3, "thu": 4, "fri": 5, "sat": 6])

    private var allowed: String {
        let numbers = "\(range.lowerBound) to \(range.upperBound)"
        guard let first = names.min(by: { $0.value < $1.value }), let last = names.max(by: { $0.value < $1.value })
        else {
            return numbers
        }
        return "\(numbers) or \(first.key) to \(last.key)"
    }

    /// Returns the numbers that a field's text allows, as a bit set.
    func set(_ text: Substring) throws(CronProblem) -> UInt64 {
        var set: UInt64 = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) { set |= try self.part(part) }
        return set
    }

    private func part(_ text: Substring) throws(CronProblem) -> UInt64 {
        let halves = text.split(separator: "/", omittingEmptySubsequences: false)
        let bounds: ClosedRange<Int>
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        if halves[0] == "*" {
            bounds = range
        } else if ends.count == 1 {
            let number = try number(ends[0], in: text)
            bounds = number...number
        } else {
            guard ends.count == 2 else { throw .unreadable(String(text), field: name, allowed: allowed) }
            let from = try number(ends[0], in: text)
            var to = try number(ends[1], in: text)
            // A week may end on a Sunday: fri-sun.
            if to == 0, from > 0, range == Self.dayOfWeek.range { to = 7 }
            guard from <= to else { throw .backwards(String(text), field: name) }
            bounds = from...to
        }
        var step = 1
        if halves.count > 1 {
            let most = range.upperBound - range.lowerBound
            guard halves.count == 2, halves[0] == "*" || ends.count == 2, let number = Self.digits(halves[1]),
                (1...most).contains(number)
            else { throw .malformedStep(String(text), field: name, allowed: "1 to \(most)") }
            step = number
        }
        return stride(from: bounds.lowerBound, through: bounds.upperBound, by: step).reduce(0) { $0 | 1 << UInt64($1) }
    }

    private func number(_ text: Substring, in part: Substring) throws(CronProblem) -> Int {
        if let number = names[text.lowercased()] { return number }
        guard let number = Self.digits(text) else { throw .unreadable(String(part), field: name, allowed: allowed) }
        guard range.contains(number) else { throw .outOfRange(String(text), field: name, allowed: allowed) }
        return number
    }

    private static func digits(_ text: Substring) -> Int? {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }
}
