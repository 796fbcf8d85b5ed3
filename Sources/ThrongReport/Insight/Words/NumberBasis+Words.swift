internal import ThrongPlan

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
