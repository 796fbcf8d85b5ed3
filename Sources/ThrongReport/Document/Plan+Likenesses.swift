internal import ThrongPlan
internal import ThrongRelease

/// Two measures of one thing: a report that has both says why their numbers differ.
extension Plan {
    /// Returns the sentences, by answer: each is told beside the later of the two.
    func likenesses(of answers: [InsightAnswer]) -> [[String]] {
        let tallies = answers.map(tallies)
        return tallies.indices.map { place in
            for mine in tallies[place].reversed() {
                for other in tallies[..<place].joined() where other.events == mine.events && other.way != mine.way {
                    return [
                        answers[place].locale.say(
                            .likeness,
                            [
                                "title": mine.title, "way": mine.way, "other": other.title, "otherWay": other.way,
                                "isApart": mine.purpose != other.purpose,
                            ])
                    ]
                }
            }
            return []
        }
    }

    /// A number of happenings, or of those that they happened to.
    private struct Tally {
        let title: String
        let events: Set<EventName>
        /// The words behind "counts".
        let way: String
        let purpose: PurposeName
    }

    /// Returns what an answer counts: one thing, or the steps of a funnel; nothing for what is computed from counts.
    private func tallies(of answer: InsightAnswer) -> [Tally] {
        guard answer.answered != nil, answer.filters.isEmpty, let metric = metric(answer.insight.metric) else {
            return []
        }
        func way(_ kind: String) -> String {
            answer.locale.say(.way, ["kind": kind, "noun": answer.noun.many, "one": answer.noun.one])
        }
        func tally(_ kind: String) -> [Tally] {
            [Tally(title: answer.insight.title, events: Set(metric.events), way: way(kind), purpose: metric.purpose)]
        }
        switch (answer.insight.kind, metric.within?.kind) {
        case (.funnel, .funnel(let steps)?):
            return steps.dropFirst().filter(\.filters.isEmpty).map {
                Tally(title: $0.title.text, events: [$0.event], way: way("steps"), purpose: metric.purpose)
            }
        case (.reach, _): return tally("devices")
        case (.frequency, _): return tally("once")
        case (.count, nil): return tally("every")
        default: return []
        }
    }

    /// Returns the sentences, by answer, about those that did more than counts. Each is told once, beside the first numbers
    /// that lack it, where a frequency of the same report has a band that tells it.
    func excesses(of answers: [InsightAnswer], in releases: [MetricName: Release]) -> [[String]] {
        var told: Set<MetricName> = []
        return answers.map { answer in
            guard answer.answered != nil, answer.insight.kind.counts == .events, !told.contains(answer.insight.metric),
                let metric = metric(answer.insight.metric), let frequency = frequency(telling: metric),
                let counted = releases[metric.name]?.header, let source = releases[frequency.name],
                counted.chosenBound == nil || counted.period.kind == counted.layout.period,
                source.header.events == counted.events, source.header.layout.rotation == counted.layout.rotation,
                let teller = answers.first(where: { other in
                    let (asked, isAnswered) = (other.insight, other.answered != nil)
                    return isAnswered && asked.metric == frequency.name && asked.by.isEmpty && asked.filters.isEmpty
                }), let sentence = excess(over: counted.layout.contributionBound, in: source, answer, teller)
            else { return [] }
            told.insert(metric.name)
            return [sentence]
        }
    }

    /// Returns the sentences, by answer, about bounds that releases chose. Each is told once; sums over periods that chose theirs
    /// have none.
    func choices(of answers: [InsightAnswer], in releases: [MetricName: Release]) -> [[String]] {
        var told: Set<MetricName> = []
        return answers.map { answer in
            guard answer.answered != nil, answer.insight.kind.counts == .events,
                let header = releases[answer.insight.metric]?.header, let bound = header.chosenBound,
                header.period.kind == header.layout.period, told.insert(answer.insight.metric).inserted
            else { return [] }
            let sentence = answer.locale.say(
                .chosenBound,
                [
                    "noun": answer.wording.noun(.events).many, "most": answer.wording.number(bound),
                    "case": header.layout.rotation == .longest ? "device" : "visit",
                ])
            return [sentence.sentenceCased]
        }
    }

    /// - Parameter teller: the answer that shows the frequency, of whose words the sentence takes those for who had them.
    private func excess(
        over bound: Int, in source: Release, _ answer: InsightAnswer, _ teller: InsightAnswer
    ) -> String? {
        guard let times = ReachedTimes(source),
            let band = times.edges.firstIndex(of: bound + 1) ?? times.edges.dropFirst().firstIndex(of: bound),
            let (reached, _, isTold) = times.reached(band), isTold,
            reached.count >= source.header.threshold.devices + reached.margin
        else { return nil }
        let (wording, noun) = (answer.wording, answer.wording.noun(.events))
        let number = Quantity.drawn(reached.count, of: .identifiers, within: reached.margin)
        let finding = answer.locale.say(
            .excess,
            [
                "number": teller.wording.words(number).sentenceCased, "one": noun.one, "noun": noun.many,
                "case": bound == 1 ? "one" : times.edges[band] > bound ? "more" : "least",
                "most": wording.number(bound),
            ])
        return wording.sentence(finding, offBy: Decimals(units: Int128(reached.margin), places: 0))
    }
}
