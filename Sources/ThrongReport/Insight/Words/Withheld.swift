package import ThrongPlan

/// Words for a number that was not published: fewer than k devices are behind it, or hardly more.
///
/// There is one wording and one marker for all of them: nothing says how few, or whether there are any.
package enum Withheld {
    /// The English ones, which pages of analysts and files for programs have.
    package static let wording = Language.english.say(.withheld)
    package static let marker = "withheld"

    package static func sentence(ofOne isOne: Bool, in locale: Language = .english) -> String {
        locale.say(.withheldHere, ["isOne": isOne])
    }

    /// Returns the note about withheld numbers: "withheld: …. 2 of 5 numbers here."
    ///
    /// - Parameter places: what they are: `numbers`, `rows`, or the `marks` of a drawing.
    package static func note(
        _ withheld: Int, of all: Int, _ places: String = "numbers", in locale: Language = .english
    ) -> String { locale.say(.withheldNote, ["where": all == 1 ? "alone" : places, "count": withheld, "all": all]) }
}

/// Words for a number that the plan rules out: everybody knows that it is zero.
package enum Impossible {
    package static let marker = "cannot occur"

    package static func sentence(ofOne isOne: Bool, in locale: Language = .english) -> String {
        locale.say(.impossibleHere, ["isOne": isOne])
    }
}

/// Words for a number that the release does not tell: it has no counter for it, or only other numbers of
/// the row reached k.
package enum Untold { package static let marker = "not told" }

extension Wording {
    /// Returns the sentence about the share of the whole that a table's withheld rows hold: "Together they are 2.4% of
    /// the events."
    ///
    /// - Parameter rest: the whole less the published rows; nil where that is unknown.
    package func withheld(_ rows: Int, leaving rest: AnswerRest?, counts: Counted) -> String {
        guard let rest else { return locale.say(.restUnknown) }
        // Devices are in several rows: what is known is how many events are theirs.
        let isFew = rest.isTooLittle
        let message: Message =
            rest.quantity != nil
            ? .restShare : counts == .devices ? isFew ? .restSentFew : .restSent : isFew ? .restLeftFew : .restLeft
        return locale.say(
            message,
            [
                "count": rows, "share": locale.percent(rest.known ?? 0, of: rest.whole),
                "noun": noun(counts == .identifiers ? .identifiers : .events).many,
            ])
    }
}

extension NumberStatus {
    /// The words in a table or a chart in place of the number; nil where there is one.
    package func marker(in locale: Language) -> String? {
        switch self {
        case .published, .derived: nil
        default: locale.say(.marker, ["status": rawValue])
        }
    }
}

extension Absence {
    package func sentence(in locale: Language) -> String {
        locale.say(.absent, ["reason": NumberStatus(self).rawValue, "difference": difference(in: locale)])
    }

    /// The difference that keeps numbers from being compared; empty where there is another reason.
    func difference(in locale: Language) -> String {
        guard case .changed(let difference) = self else { return "" }
        return locale.say(.difference, ["difference": "\(difference)"])
    }
}

extension InsightAnswer {
    /// The sentences about what is withheld and how much of the whole that leaves out; none where nothing is.
    package var withheldNotes: [String] {
        guard let answered else { return [] }
        let table = answered.table
        if case .trend(let points) = answered.view {
            let all = points.flatMap(\.figures)
            let withheld = all.count { $0 == .withheld }
            return withheld == 0 ? [] : [Withheld.note(withheld, of: all.count, "marks", in: locale)]
        }
        let withheld = table.withheldRows
        guard withheld > 0 else { return [] }
        var parts = [Withheld.note(withheld, of: table.rows.count, in: locale)]
        if table.isLeftOut { return [locale.joined(parts + [locale.say(.leftOut)])] }
        // A single number is the whole itself.
        if table.rows.count > 1 || table.rest != nil {
            parts.append(wording.withheld(withheld, leaving: table.rest, counts: answered.basis.counts))
        }
        if case .ranking(let ranking) = answered.view {
            parts.append(
                locale.say(
                    .noRank, ["count": withheld, "isAmong": ranking.rest != nil, "others": locale.say(.othersTogether)])
            )
        }
        return [locale.joined(parts)]
    }

    /// The sentences about dimensions of the insight that age has taken, one a dimension.
    package var ageNotes: [String] {
        (answered?.aged ?? []).map { aged in
            locale.say(.aged, ["title": aged.title, "hasCoarser": aged.now != nil, "coarser": aged.now?.title ?? ""])
        }
    }

    // Changes in words: noise is not told as one.

    /// "That is 12% (130) more than the day before (…), when it was about 1,100 events; the difference is between 90
    /// and 170 in 19 of 20 cases."
    func sentence(of change: Change, since then: Moment, from earlier: Quantity) -> String {
        let isSame = isWithinChance(change)
        let finding = locale.say(
            isSame ? .changeSame : .changeMoved,
            [
                "kind": then.kind, "date": then.date, "earlier": words(earlier), "amount": amount(of: change),
                "direction": "\(change.direction)",
            ])
        if isSame {
            // An interval beyond 0 is one of many on the page, some of which are so by chance.
            guard change.isWithinChance(), let low = change.interval.low, let high = change.interval.high else {
                return locale.say(.finding, ["finding": finding])
            }
            let ends = [low, high].map { wording.difference($0, isShare: unit == "share") }
            return locale.span(ends[0], ends[1], .findingDifference, finding: finding)
        }
        return sentence(finding, differingBy: change)
    }

    /// A finding as a sentence that says between what the size of a change lies.
    func sentence(_ finding: String, differingBy change: Change) -> String {
        guard let (low, high) = size(of: change.interval) else { return locale.say(.finding, ["finding": finding]) }
        let scale = unit == "share" ? 100.0 : 1
        return wording.sentence(
            finding, within: Interval(low * scale, high * scale, places: Quantity.sharePlaces), isShare: false,
            .findingDifference
        ) { number in
            if unit == "share" { return locale.say(.amountPoints, ["number": locale.text(number)]) }
            guard case .mean = insight.kind else { return locale.text(number) }
            return wording.amount(number, unit: unit)
        }
    }

    /// A difference as it is shown: to the first digit of how far off it may be.
    func shownDifference(_ change: Change) -> Decimals {
        let (low, high) = change.interval.ends
        return change.difference.rounded(toFirstDigitOf: (high - low) / 2)
    }

    /// Returns the size of a relative change, without its sign; nil where there is none.
    func relativeSize(_ change: Change) -> String? {
        guard let interval = change.relativeInterval else { return change.relative.map(locale.size) }
        let (low, high) = interval.ends
        return change.relative.map { relative in
            let rounded = relative.magnitude.rounded(toFirstDigitOf: min((high - low) / 2, 0.5)).rounded(to: 3)
            return locale.percent(ofHundred: Decimals(units: rounded.units * 100, places: rounded.places))
        }
    }

    /// A relative change with its sign; nil of shares, whose changes are in points.
    func signedRelative(_ change: Change) -> String? {
        guard unit != "share" else { return nil }
        let sign = change.direction == .down ? "\u{2212}" : change.direction == .up ? "+" : ""
        return relativeSize(change).map { sign + $0 }
    }

    /// Returns the least and the largest size of a change, whichever way it went; nil where an end is open, or where
    /// the change may have gone either way.
    private func size(of interval: Interval) -> (low: Double, high: Double)? {
        let (low, high) = interval.ends
        guard low.isFinite, high.isFinite else { return nil }
        return low >= 0 ? (low, high) : high <= 0 ? (-high, -low) : nil
    }
}

extension NumberBasis {
    /// The statement of what is counted, the same in every format.
    package var statement: String {
        let unknown = hasIdentifiers ? "" : ", without identifiers: of how many devices is not known"
        let sampled = sampling == 1 ? "" : ", estimated from a sample"
        let seen = sampling == 1 ? "" : ", of those with an event in the sample"
        if counts == .identifiers { return "identifiers: each once, and a device has another one in a later window" }
        return switch devices {
        case nil: "events\(sampled)\(unknown)"
        case .window: "devices: seen within one window\(floor == .attested ? ", each proved" : "")\(seen)"
        case .proved: "devices: each proved once in the period\(seen)"
        case .firsts: "devices: as clients say, each at its first event of the period\(seen)"
        case .answers: "devices: as they answer by themselves, once a period\(sampled)"
        }
    }

    /// The basis line under an insight, in parts.
    package func words(in wording: Wording) -> [String] {
        let locale = wording.locale
        return [
            counted(wording),
            locale.say(
                .leastBehind,
                [
                    "threshold": locale.text(threshold.devices),
                    "noun": wording.noun(hasIdentifiers ? .devices : .events).many, "isProved": floor == .attested,
                ]),
            locale.say(self.margin.isOfTerms ? .offByTerms : .offBy, ["margin": locale.text(shownMargin)])
                .sentenceCased, sampled(locale),
            hasIdentifiers
                ? locale.say(.recognised, ["time": wording.locale.duration(seconds: rotation.seconds)])
                : locale.say(.devicesUnknown),
        ]
    }

    /// The sentence about what numbers tell; those that add others up tell nothing more.
    private func cost(of part: String) -> String {
        margin.cost == MarginCost.text(0)
            ? "They add up numbers that were drawn for shorter periods, and tell no more of one \(part) than these."
            : "The part of one \(part) in them costs \u{03c1} = \(margin.cost) at most."
    }

    private var shownMargin: Decimals { Decimals(within, over: 1, places: 0) }

    /// The sentences about the margin, the same in every format.
    package var marginStatement: String {
        let wording = Wording.english
        let thing = hasIdentifiers ? Counted.devices : .events
        let part = hasIdentifiers ? "device" : "event"
        let number = margin.isOfTerms ? "Every number that it is computed from" : "Every number"
        return """
            \(number)\(sampling == 1 ? "" : " of the sample") is \(wording.off(by: shownMargin)), on purpose. Numbers add up, and \
            none is below 0. A group of fewer than \(wording.count(threshold.devices, thing.one)) is never shown, and one of a \
            few more only sometimes. \(cost(of: part))
            """
    }

    /// The thing that is counted, for readers of a page.
    private func counted(_ wording: Wording) -> String {
        let time = wording.locale.duration(seconds: rotation.seconds)
        if counts == .identifiers {
            return wording.locale.say(.countsVisits, ["noun": wording.noun(.identifiers).many, "time": time])
        }
        guard let devices else { return wording.locale.say(.countsNoun, ["noun": wording.noun(.events).many]) }
        if devices == .window, period.shortestSeconds > rotation.seconds {
            let (unit, count) = wording.locale.unit(seconds: rotation.seconds)
            return wording.locale.say(
                .countsBusiest, ["unit": unit.rawValue, "count": count, "period": period.rawValue])
        }
        let kind =
            switch devices {
            case .window: "seen"
            case .proved: "proved"
            case .firsts: "said"
            case .answers: "answered"
            }
        return wording.locale.say(.countsDevices, ["kind": kind, "time": time])
    }

    /// The sampling rate, and what the sample means for the numbers.
    private func sampled(_ locale: Language) -> String {
        guard sampling < 1 else { return locale.say(.everythingCounted) }
        let isScaled = devices == nil || devices == .answers
        return locale.say(
            isScaled ? .sampledScaled : .sampledDevices, ["rate": locale.text(Decimals(exactly: sampling))])
    }
}

/// An earlier time that a message names: by what it is to the report's period, and by its date.
struct Moment {
    /// The word by which messages choose: `day`, `weekDay` for the same day a week before, `date` for its date alone.
    let kind: String
    /// "Saturday, 21 November 2026".
    let date: String

    /// A time of which only the date is told.
    init(date: String) { (kind, self.date) = ("date", date) }

    init(_ comparison: AnswerComparison, date: String) {
        let word = comparison.period.kind.rawValue
        kind =
            switch comparison.reference {
            case .periodBefore: word
            case .weekBefore: "week\(word.sentenceCased)"
            case .yearBefore: "date"
            }
        self.date = date
    }
}
