internal import ThrongPlan

/// What everything says about a number that was not published.
///
/// There is one wording, one marker and one place for all of them, because telling a zero, a small cell and a
/// neighbour's protection apart is an attack (disclosure page, section 1, "Zeros").
package enum Withheld {
    /// The sentence, the same in every format.
    package static let wording = "withheld: it stands for too few people, or would give away one that does"
    /// What stands in a table or a chart where the number would be.
    package static let marker = "withheld"
    /// What stands before the line with what the withheld rows hold together.
    package static let together = "Withheld, together"

    /// Where nothing else is to be said, of one number or of all that there are.
    package static func sentence(ofOne isOne: Bool) -> String {
        "\(isOne ? "This" : "Every") number\(isOne ? "" : " here") is \(wording)."
    }

    /// Where nothing of a breakdown is published. It says no more than its rows do, and an empty one looks the same.
    package static func leftOut(for period: String) -> String {
        "All of this breakdown was left out for \(period): a coarser one, or a longer period, may have numbers."
    }

    /// What is withheld: "withheld: …. 2 of 5 numbers here."
    ///
    /// - Parameter things: what there are that many of.
    package static func note(_ withheld: Int, of all: Int, _ things: String = "numbers", where places: String = "")
        -> String
    {
        let count =
            all == 1
            ? "" : " \(Wording.english.number(withheld)) of \(Wording.english.number(all)) \(things) here\(places)."
        return "\(wording).\(count)"
    }
}

/// What everything says about a number that the plan rules out: everybody knows that it is zero.
package enum Impossible {
    /// What stands in a table or a chart where the number would be.
    package static let marker = "cannot occur"

    /// Where nothing else is to be said, of one number or of all that there are.
    package static func sentence(ofOne isOne: Bool) -> String { isOne ? "This \(marker)." : "Nothing here can occur." }
}

/// What everything says about a number that the release has no counter for.
package enum Uncounted {
    /// What stands in a table or a chart where the number would be.
    package static let marker = "not counted"

    /// Where nothing else is to be said, of one number or of all that there are.
    package static func sentence(ofOne isOne: Bool) -> String {
        isOne ? "This is \(marker)." : "Nothing here is counted."
    }
}

extension Wording {
    /// What the withheld rows of a table are of the whole: "Together they are 2.4% of the events."
    ///
    /// - Parameter rest: what the published rows leave of the whole; nil where that is unknown.
    package func withheld(_ rows: Int, leaving rest: AnswerRest?, counts: Counted) -> String {
        guard let rest else { return "How much of the whole that leaves out is unknown." }
        let isOne = rows == 1
        let share = share(rest, counts: counts)
        if rest.quantity != nil { return isOne ? "It is \(share)." : "Together they are \(share)." }
        // Devices are in several rows: what is known is how many events are theirs.
        let verb = counts == .devices ? "sent" : isOne ? "leaves out" : "leave out"
        return "\(isOne ? "It" : "They") \(verb) \(share)."
    }

    /// What the withheld rows hold together: "2.4% of the events", "fewer than 20 of the events, or none".
    package func share(_ rest: AnswerRest, counts: Counted) -> String {
        let thing = (counts == .identifiers ? Counted.identifiers : .events).rawValue
        if let most = rest.fewerThan { return "fewer than \(locale.text(most.devices)) of the \(thing), or none" }
        return "\(locale.percent(rest.known ?? 0, of: rest.whole)) of the \(thing)"
    }
}

extension NumberStatus {
    /// What stands in a table or a chart where the number would be; nil where there is one.
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
    /// What stands in a table or a chart where the number would be.
    package var marker: String { NumberStatus(self).marker ?? "" }

    /// The same in a sentence.
    package var wording: String {
        switch self {
        case .notReleased: "There is no release of this metric for the period."
        case .beganLater: "There is no number: \(reason)."
        case .expired: "There is no number: the metric expired."
        case .changed: "The numbers can't be compared: \(reason)."
        case .aged, .unnamed: "There is no number: \(reason)."
        }
    }

    /// Behind "There is no comparison with Monday:".
    package var reason: String {
        switch self {
        case .notReleased: "it has no release"
        case .beganLater: "counting began later"
        case .expired: "the metric had expired"
        case .changed(let difference): "the metric had \(difference.rawValue) then"
        case .aged: "numbers in this detail are no longer kept"
        case .unnamed: "it was counted before the plan named who this report is for"
        }
    }

    /// Behind "Of 6 numbers,".
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
