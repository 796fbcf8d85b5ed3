package import ThrongPlan

/// What goes together, in the house and so in its backups: whoever has the key of it can read that part of them.
package struct BackupKeyName: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Of which app; ``house`` where it is of several apps' together.
    package let app: String
    /// Until when.
    package let term: BackupTerm

    /// What belongs to no app alone.
    package static let house = "*"

    /// What the installation keeps for good: with it the list of what is in a backup is encrypted.
    package static let installation = BackupKeyName(app: house, term: .always)

    /// Puts a name together.
    package init(app: String, term: BackupTerm) {
        self.app = app
        self.term = term
    }

    /// Whether the day has come on which the house takes it.
    package func isOver(at now: UnixSeconds) -> Bool {
        if case .day(let day) = term { UnixSeconds(day * 86_400) <= now } else { false }
    }

    /// Orders by app, then by term.
    package static func < (one: Self, other: Self) -> Bool {
        (one.app, one.term.text) < (other.app, other.term.text)
    }

    /// "shop, until 2026-12-01".
    package var description: String { "\(app == Self.house ? "all apps" : app), \(term)" }
}

/// Until when the house keeps something.
package enum BackupTerm: Sendable, Hashable, CustomStringConvertible {
    /// As long as its app, or the installation.
    case always
    /// Until the round of retention of a day (UTC). Unit: days since 1970.
    case day(Int64)
    /// Until a table of raw counters or distinct counts is dropped, by its name in schema throng.
    case table(String)

    /// As files and SQL have it: `always`, `day 20783` or `table counter_d_20261121`.
    package var text: String {
        switch self {
        case .always: "always"
        case .day(let day): "day \(day)"
        case .table(let name): "table \(name)"
        }
    }

    /// Reads ``text`` back; nil for anything else.
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

    /// In words.
    package var description: String {
        switch self {
        case .always: "for good"
        case .day(let day): "until \(CalendarDate(daysSince1970: day))"
        case .table(let name): "with \(name)"
        }
    }
}
