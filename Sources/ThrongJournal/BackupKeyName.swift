package import ThrongPlan

/// The name of a part of the data, in the house and in its backups: whoever has the part's key can read it.
package struct BackupKeyName: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The app that it is of; ``house`` if it is of several apps together.
    package let app: String
    package let term: BackupTerm

    /// The name in place of an app for what belongs to no app alone.
    package static let house = "*"

    /// The part that the installation keeps for good: its key encrypts the list of a backup's content.
    package static let installation = BackupKeyName(app: house, term: .always)

    package init(app: String, term: BackupTerm) { (self.app, self.term) = (app, term) }

    /// True if its day has come, on which the house drops it.
    package func isOver(at now: UnixSeconds) -> Bool {
        if case .day(let day) = term { UnixSeconds(day * 86_400) <= now } else { false }
    }

    package static func < (one: Self, other: Self) -> Bool { (one.app, one.term.text) < (other.app, other.term.text) }

    /// The name in words, such as "shop, until 2026-12-01".
    package var description: String { "\(app == Self.house ? "all apps" : app), \(term)" }
}

/// The term for which the house keeps something.
package enum BackupTerm: Sendable, Hashable, CustomStringConvertible {
    /// The part lasts as long as its app, or the installation.
    case always
    /// The part lasts until the round of retention of a day (UTC). Unit: days since 1970.
    case day(Int64)
    /// The part lasts until a table of raw counters or distinct counts is dropped; the table's name in schema throng.
    case table(String)

    /// The text in files and SQL: `always`, `day 20783` or `table counter_d_20261121`.
    package var text: String {
        switch self {
        case .always: "always"
        case .day(let day): "day \(day)"
        case .table(let name): "table \(name)"
        }
    }

    /// Reads ``text`` back; nil if it is malformed.
    package init?(_ text: some StringProtocol) {
        let words = text.split(separator: " ")
        switch (words.first, words.count) {
        case ("always", 1): self = .always
        case ("day", 2):
            guard let day = Int64(words[1]) else { return nil }
            self = .day(day)
        case ("table", 2): self = .table(String(words[1]))
        default: return nil
        }
    }

    package var description: String {
        switch self {
        case .always: "for good"
        case .day(let day): "until \(CalendarDate(daysSince1970: day))"
        case .table(let name): "with \(name)"
        }
    }
}
