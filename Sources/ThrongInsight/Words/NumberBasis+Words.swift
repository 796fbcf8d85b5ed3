internal import ThrongNoise
package import ThrongPlan

extension NumberBasis {
    /// What is counted, as every format says it.
    package var statement: String {
        let noisy = noise == nil ? "" : ", with noise"
        let unknown = hasIdentifiers ? "" : ", without identifiers: of how many devices is not known"
        let sampled = sampling == 1 ? "" : ", estimated from a sample"
        let seen = sampling == 1 ? "" : ", of those with an event in the sample"
        if counts == .identifiers { return "identifiers: each once, and a device has another one in a later window" }
        return switch devices {
        case nil: "events\(sampled)\(noisy)\(unknown)"
        case .floor: "devices: at least, seen within one window\(floor == .attested ? ", each proved" : "")\(seen)"
        case .proved: "devices: at least, each proved once in the period\(seen)"
        case .firsts: "devices: as clients say, each at its first event of the period\(seen)"
        case .answers: "devices: as they answer by themselves, once a period\(sampled)\(noisy)"
        }
    }

    /// The basis line under an insight, in parts.
    package func words(in locale: ReportLocale) -> [String] {
        let wording = Wording(locale)
        return [
            counted(wording),
            noise.map { Wording.noise($0.terms) } ?? wording.threshold(threshold.devices...threshold.devices),
            wording.sampling([sampling]) + (sampling == 1 ? "" : sampledWords),
            hasIdentifiers
                ? "Identifiers last \(wording.duration(seconds: rotation.seconds))\(proved)"
                : "Without identifiers: of how many devices is not known",
        ]
    }

    /// Whether somebody could have made up the devices that a number stands for.
    private var proved: String {
        guard noise == nil else { return "" }
        return switch floor {
        case .any: "; nobody proves them"
        case .attested: "; k counts proved ones alone"
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

    /// What the sample means for the numbers.
    private var sampledWords: String {
        switch devices {
        case .floor, .proved, .firsts: ": devices can\u{2019}t be scaled up; there are at least so many"
        case nil, .answers: ": scaled up, with 95% intervals"
        }
    }
}

/// What numbers stand on.
extension Wording {
    /// "k = 20: every published number stands for 20 devices or more"; over several periods, the least and the most.
    package func threshold(_ k: ClosedRange<Int64>) -> String {
        "\(self.k(k)): every published number stands for \(count(k.lowerBound, "device")) or more"
    }

    /// "k = 20"; over several periods "k = 20 to 50, by period".
    package func k(_ k: ClosedRange<Int64>) -> String {
        let (least, most) = (locale.text(k.lowerBound), locale.text(k.upperBound))
        return "k = \(least == most ? least : "\(least) to \(most), by period")"
    }

    /// "Noise: laplace, epsilon 1/2".
    package static func noise(_ terms: String) -> String { "Noise: \(terms)" }

    /// What noise does to numbers, in a sentence that goes on.
    package static let noisy = "numbers may be negative, and parts do not add up to totals"

    /// "Every event counted", "Sampling rate 0.25"; of several periods, each rate once.
    package func sampling(_ rates: [Double]) -> String {
        if rates.allSatisfy({ $0 == 1 }) { return "Every event counted" }
        let texts = rates.map { locale.text(Decimals(exactly: $0)) }
        return "Sampling rate \(texts.joined(separator: " or "))"
    }
}

extension NumberNoise {
    /// The noise in one cell of a table: "laplace, epsilon 1/2".
    package var terms: String { "\(mechanism), \(currency) \(cost)" }

    /// All of it in sentences, the same in every format.
    package var statement: String {
        guard !isConsistent else {
            return """
                Every number carries noise (\(terms)), was made to add up with the others, and lies within \
                \(ReportLocale.english.text(margin)) of what was counted in 19 of 20 cases. Nothing is withheld. \
                \(unit == .device ? "An identifier counts once in each group at most. " : "")\(promise)
                """
        }
        return """
            Every number carries noise of its own (\(terms)) and lies within \
            \(ReportLocale.english.text(margin)) of what was counted in 19 of 20 cases. Nothing is withheld, \
            \(Wording.noisy). \(promise)
            """
    }
}

extension InsightAnswer.Answered {
    /// Whether rows are read from bands, and are none of them.
    private var isRead: Bool { table.rows.contains { if case .quantile? = $0.figure.quantity { true } else { false } } }

    /// The part of the basis line that says how much is withheld; none where numbers carry noise instead.
    package func withheldWords(in locale: ReportLocale) -> [String] {
        if basis.noise != nil { return [] }
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
