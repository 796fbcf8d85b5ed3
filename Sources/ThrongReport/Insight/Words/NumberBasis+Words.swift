package import ThrongPlan

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
    package func words(in locale: ReportLocale) -> [String] {
        let wording = Wording(locale)
        return [
            counted(wording),
            wording.threshold(threshold.devices...threshold.devices, of: hasIdentifiers ? .devices : .events),
            ((margin.isOfTerms ? "computed from numbers " : "") + wording.off(by: shownMargin)).sentenceCased,
            wording.sampling([sampling]) + (sampling == 1 ? "" : sampledWords),
            hasIdentifiers
                ? "Identifiers last \(wording.duration(seconds: rotation.seconds))\(proved)"
                : "Without identifiers: of how many devices is not known",
        ]
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
            few more only sometimes. The part of one \(part) in them costs \u{03c1} = \(margin.cost) at most.
            """
    }

    /// The words for a k that nobody reaches by devices that are made up; empty for other k.
    private var proved: String {
        switch floor {
        case .any: ""
        case .attested: "; k counts those alone that prove themselves"
        }
    }

    private func counted(_ wording: Wording) -> String {
        switch (counts, devices) {
        case (.identifiers, _):
            "Counts identifiers, of which a device has one for \(wording.duration(seconds: rotation.seconds)); a device "
                + "that comes back later counts again"
        case (_, nil): "Counts events"
        default: "Counts \(statement)"
        }
    }

    /// The words for what the sample means for the numbers.
    private var sampledWords: String {
        switch devices {
        case .window, .proved, .firsts: ": devices can\u{2019}t be scaled up"
        case nil, .answers: ": scaled up, with 95% intervals"
        }
    }
}

extension Wording {
    /// "k = 20: every published number stands for 20 devices or more"; over several periods, the least and the most.
    ///
    /// - Parameter counted: what k counts.
    package func threshold(_ k: ClosedRange<Int64>, of counted: Counted = .devices) -> String {
        "\(self.k(k)): every published number stands for \(count(k.lowerBound, counted.one)) or more"
    }

    /// "k = 20"; over several periods "k = 20 to 50, by period".
    package func k(_ k: ClosedRange<Int64>) -> String {
        let (least, most) = (locale.text(k.lowerBound), locale.text(k.upperBound))
        return "k = \(least == most ? least : "\(least) to \(most), by period")"
    }

    /// "Every event counted", "Sampling rate 0.25"; of several periods, each rate once.
    package func sampling(_ rates: [Double]) -> String {
        if rates.allSatisfy({ $0 == 1 }) { return "Every event counted" }
        let texts = rates.map { locale.text(Decimals(exactly: $0)) }
        return "Sampling rate \(texts.joined(separator: " or "))"
    }
}

extension InsightAnswer.Answered {
    /// True if rows are values read from bands, and not bands.
    private var isRead: Bool { table.rows.contains { if case .quantile? = $0.figure.quantity { true } else { false } } }

    /// The part of the basis line that says how much is withheld.
    package func withheldWords(in locale: ReportLocale) -> [String] {
        if case .trend(let points) = view {
            let all = points.flatMap(\.figures)
            let withheld = all.count { $0 == .withheld }
            return [withheld == 0 ? "Nothing withheld" : "Withheld: \(withheld) of \(all.count) numbers"]
        }
        // A mark of a distribution may stand although some bands are withheld: it is the rest that tells.
        let isWhole = isRead ? table.rest?.known == 0 : table.withheldRows == 0
        if isWhole { return ["Nothing withheld"] }
        let part = table.rest.map { Wording(locale).share($0, counts: basis.counts) }
        return ["Withheld: \(part ?? "an unknown part")"]
    }
}
