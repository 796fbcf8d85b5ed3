package import ThrongPlan

/// The one writer of words about numbers: reports, explorer, portal and command line say one thing in one way.
package struct Wording: Sendable, Hashable {
    package let locale: Language
    /// The words for what is counted where that is not devices; nil for pages of analysts and commands.
    private let noun: Noun?

    /// The wording for pages and commands that have no reader of their own.
    package static let english = Wording(.english)

    package init(_ locale: Language, of noun: Noun? = nil) { (self.locale, self.noun) = (locale, noun) }

    /// The words for one and several of what is counted: the plan's, or else those of counters.
    package func noun(_ counted: Counted) -> Noun {
        if counted != .devices, let noun { return noun }
        return Noun(one: noun(counted, of: 1), many: noun(counted, of: nil))
    }

    /// The word for so many of what is counted, or for any number of it.
    func noun(_ counted: Counted, of count: Int64?) -> String {
        if counted != .devices, let noun { return count == 1 ? noun.one : noun.many }
        let word: Message =
            switch counted {
            case .events: .event
            case .devices: .device
            case .identifiers: .identifier
            }
        return locale.say(word, ["count": count ?? Noun.several])
    }

    package func number(_ number: Int) -> String { locale.text(Int64(number)) }

    /// "1 device", "1,234 devices".
    package func count(_ number: Int64, _ noun: String) -> String {
        "\(locale.text(number)) \(number == 1 ? noun : noun + "s")"
    }

    /// "1 metric", "2 metrics".
    package func count(_ number: Int, _ noun: String) -> String { count(Int64(number), noun) }

    /// "1,234.50 EUR"; without a unit the number alone.
    package func amount(_ number: Decimals, unit: String) -> String {
        let text = locale.text(number)
        return unit.isEmpty ? text : locale.say(.amount, ["number": text, "unit": unit])
    }

    /// A number that was scaled up from a sample, in a table: "≈12,300".
    package func about(_ number: Decimals) -> String { "\u{2248}\(locale.text(number))" }

    /// "1,020 to 1,455", "40.1% to 42.0%", "40.1% or more", where nothing bounds it above.
    package func span(_ interval: Interval, isShare: Bool = false) -> String {
        func text(_ number: Decimals) -> String { isShare ? locale.percent(number) : locale.text(number) }
        return locale.span(interval.low.map(text), interval.high.map(text))
    }

    /// A difference with its sign: "+1,204", of shares "+1.3 points".
    package func difference(_ difference: Decimals, isShare: Bool) -> String {
        isShare ? locale.signedPoints(difference) : locale.signed(difference)
    }

    /// A size in the unit that leaves two to four digits, which is bytes at least: "9,999 B", "12 kB", "1,024 MB".
    package func size(_ bytes: Int) -> String {
        var (number, unit) = (bytes, "B")
        for next in ["kB", "MB", "GB"] where number >= 10_000 { (number, unit) = ((number + 500) / 1000, next) }
        return "\(self.number(number)) \(unit)"
    }

    /// "8 days".
    package func periods(_ count: Int, _ kind: PeriodKind) -> String {
        locale.say(.periods, ["count": count, "kind": kind.rawValue])
    }

    /// A length of time in whole units, two of them at least: "119 seconds", "2 minutes", "47 hours".
    package func roughly(seconds: Int64) -> String {
        switch seconds {
        case ..<120: count(seconds, "second")
        case ..<7200: count(seconds / 60, "minute")
        case ..<172_800: count(seconds / 3600, "hour")
        default: count(seconds / 86_400, "day")
        }
    }
}

extension Noun {
    /// A number that has the form of any number, where a language has more than two.
    static let several: Int64 = 5
}

extension [String] {
    /// "a", "a and b", "a, b and c".
    package var listed: String {
        count < 2 ? (first ?? "") : dropLast().joined(separator: ", ") + " and " + (last ?? "")
    }
}

extension String { package var sentenceCased: String { prefix(1).uppercased() + dropFirst() } }
