internal import ThrongPlan

/// Words for a number that was not published: fewer than k devices are behind it, or hardly more.
///
/// There is one wording and one marker for all of them: nothing says how few, or whether there are any.
package enum Withheld {
    package static let wording = "withheld: it stands for too few people"
    package static let marker = "withheld"
    package static let together = "Withheld, together"

    package static func sentence(ofOne isOne: Bool) -> String {
        "\(isOne ? "This" : "Every") number\(isOne ? "" : " here") is \(wording)."
    }

    /// Returns the sentence for a breakdown of which nothing is published. It says no more than its rows do, and an
    /// empty one looks the same.
    package static func leftOut(for period: String) -> String {
        "All of this breakdown was left out for \(period): a coarser one, or a longer period, may have numbers."
    }

    /// Returns the note about withheld numbers: "withheld: …. 2 of 5 numbers here."
    ///
    /// - Parameter things: the noun for what is counted.
    package static func note(_ withheld: Int, of all: Int, _ things: String = "numbers", where places: String = "")
        -> String
    {
        let count =
            all == 1
            ? "" : " \(Wording.english.number(withheld)) of \(Wording.english.number(all)) \(things) here\(places)."
        return "\(wording).\(count)"
    }
}

/// Words for a number that the plan rules out: everybody knows that it is zero.
package enum Impossible {
    package static let marker = "cannot occur"
    package static let reason = "the plan rules that out"

    package static func sentence(ofOne isOne: Bool) -> String { "\(isOne ? "None" : "None of these"): \(reason)." }
}

/// Words for a number that the release does not tell: it has no counter for it, or only other numbers of
/// the row reached k.
package enum Untold {
    package static let marker = "not told"

    package static func sentence(ofOne isOne: Bool) -> String {
        isOne ? "This is \(marker)." : "Nothing here is told."
    }
}

extension Wording {
    /// Returns the sentence about the share of the whole that a table's withheld rows hold: "Together they are 2.4% of
    /// the events."
    ///
    /// - Parameter rest: the whole less the published rows; nil where that is unknown.
    package func withheld(_ rows: Int, leaving rest: AnswerRest?, counts: Counted) -> String {
        guard let rest else { return "How much of the whole that leaves out is unknown." }
        let isOne = rows == 1
        let share = share(rest, counts: counts)
        if rest.quantity != nil { return isOne ? "It is \(share)." : "Together they are \(share)." }
        // Devices are in several rows: what is known is how many events are theirs.
        let verb = counts == .devices ? "sent" : isOne ? "leaves out" : "leave out"
        return "\(isOne ? "It" : "They") \(verb) \(share)."
    }

    /// Returns the share that the withheld rows hold together: "2.4% of the events", "too few of the events to tell
    /// from none".
    package func share(_ rest: AnswerRest, counts: Counted) -> String {
        let thing = noun(counts == .identifiers ? .identifiers : .events).many
        if rest.isTooLittle { return "too few of the \(thing) to tell from none" }
        return "\(locale.percent(rest.known ?? 0, of: rest.whole)) of the \(thing)"
    }
}

extension NumberStatus {
    /// The words in a table or a chart in place of the number; nil where there is one.
    package var marker: String? {
        switch self {
        case .published, .derived: nil
        case .withheld: Withheld.marker
        case .impossible: Impossible.marker
        case .notReleased: "not released"
        case .beganLater: "counting began later"
        case .expired: "metric expired"
        case .changed: "not comparable"
        case .aged: "no longer kept"
        case .unnamed: "counted before"
        }
    }
}

extension Absence {
    package var marker: String { NumberStatus(self).marker ?? "" }

    package var wording: String {
        switch self {
        case .notReleased: "There are no numbers for this period."
        case .beganLater: "There is no number: \(reason)."
        case .expired: "There is no number: the metric expired."
        case .changed: "The numbers can't be compared: \(reason)."
        case .aged, .unnamed: "There is no number: \(reason)."
        }
    }

    /// The words behind "There is no comparison with Monday:".
    package var reason: String {
        switch self {
        case .notReleased: "it has no numbers"
        case .beganLater: "counting began later"
        case .expired: "the metric had expired"
        case .changed(let difference): "the metric had \(difference.rawValue) then"
        case .aged: "numbers in this detail are no longer kept"
        case .unnamed: "it was counted before the plan named who this report is for"
        }
    }

    /// Returns the words behind "Of 6 numbers,".
    func words(for count: Int) -> String {
        let verb = count == 1 ? "is" : "are"
        return switch self {
        case .notReleased: "\(count) \(verb) \(marker)"
        case .beganLater: "for \(count) \(reason)"
        case .expired: "for \(count) \(reason)"
        case .aged: "\(count) \(verb) \(marker)"
        case .unnamed: "for \(count) \(reason)"
        case .changed: "\(count) can\u{2019}t be compared, because \(reason)"
        }
    }
}
