internal import Foundation

/// Why the time of day is not believed. Unit of all times: Unix seconds.
package enum ClockDoubt: Error, Sendable, Hashable, CustomStringConvertible {
    /// The clocks here and at PostgreSQL are apart.
    case apart(here: Int64, database: Int64)
    /// The clock was set by more than passed on a clock that nobody sets.
    case jumped(here: Int64, expected: Int64)
    /// It is earlier than it has been.
    case back(here: Int64, believed: Int64)
    /// It is so much later than when anything ran last that only a person knows whether that is so.
    case ahead(here: Int64, believed: Int64)

    /// Both times, and what to do.
    package var description: String {
        let found =
            switch self {
            case .apart(let here, let database):
                """
                it is \(Self.text(here)) by the clock of this machine and \(Self.text(database)) by PostgreSQL's. Set the one \
                that is wrong
                """
            case .jumped(let here, let expected):
                "it is \(Self.text(here)) by the clock, and \(Self.text(expected)) by the time that has passed"
            case .back(let here, let believed):
                "it is \(Self.text(here)) by the clock, and was \(Self.text(believed)) before"
            case .ahead(let here, let believed):
                "it is \(Self.text(here)) by the clock, and was \(Self.text(believed)) when it was believed last"
            }
        guard case .apart = self else {
            return """
                The time of day is not believed: \(found). Set the clock right, or, where it is right, say so: `throng clock \
                confirm DATE`, with today's date. Until then nothing is released or deleted, and no window ends.
                """
        }
        return """
            The time of day is not believed: \(found). Until they agree to the hour nothing is released or deleted, and no \
            window ends.
            """
    }

    private static func text(_ unixSeconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(unixSeconds)).formatted(.iso8601)
    }
}
