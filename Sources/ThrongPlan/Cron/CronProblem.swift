/// Why a schedule can't be read.
package enum CronProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// A schedule has five fields.
    case wrongFieldCount(found: Int)
    /// An alias that is not known.
    case unknownAlias(String)
    /// Part of a field that is neither a number, a name, a range nor a step.
    case unreadable(String, field: String, allowed: String)
    /// A number that the field does not have.
    case outOfRange(String, field: String, allowed: String)
    /// A range whose end lies before its start.
    case backwards(String, field: String)
    /// A step that leads nowhere.
    case malformedStep(String, field: String, allowed: String)
    /// Days that no month has, such as 30 February.
    case neverHappens(String)

    /// What was found, what is allowed and what to do.
    package var description: String {
        switch self {
        case .wrongFieldCount(let found):
            """
            found \(found) fields; five are allowed: minute, hour, day of month, month, day of week, such as '0 6 * \
            * *'
            """
        case .unknownAlias(let alias):
            "unknown alias '\(alias)'; \(CronSchedule.aliases.map(\.name).joined(separator: ", ")) are allowed"
        case .unreadable(let part, let field, let allowed):
            "the \(field) '\(part)' can't be read; *, \(allowed), ranges (1-5), lists (1,3) and steps (*/2) are allowed"
        case .outOfRange(let part, let field, let allowed):
            "the \(field) '\(part)' does not exist; \(allowed) are allowed"
        case .backwards(let part, let field):
            "the range of \(field)s '\(part)' runs backwards; write it as two ranges, such as 22-23,0-2"
        case .malformedStep(let part, let field, let allowed):
            """
            the step of \(field)s in '\(part)' can't be used; a step follows * or a range and is \(allowed), such as \
            */2
            """
        case .neverHappens(let text):
            "'\(text)' never happens: none of its months has such a day"
        }
    }
}
