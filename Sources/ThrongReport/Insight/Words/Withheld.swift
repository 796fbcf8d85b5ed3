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
