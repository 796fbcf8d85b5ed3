internal import ThrongPlan

/// Two measures of one thing: a report that has both says why their numbers differ.
extension Plan {
    /// Returns the sentences, by answer: each is told beside the later of the two.
    func likenesses(of answers: [InsightAnswer]) -> [[String]] {
        let tallies = answers.map(tallies)
        return tallies.indices.map { place in
            for mine in tallies[place].reversed() {
                for other in tallies[..<place].joined() where other.events == mine.events && other.way != mine.way {
                    let apart = " They have different purposes: a device may be in one alone."
                    let sentence = "“\(mine.title)” counts \(mine.way); “\(other.title)” counts \(other.way)."
                    return [sentence + (mine.purpose == other.purpose ? "" : apart)]
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
        func tally(_ way: String) -> [Tally] {
            [Tally(title: answer.insight.title, events: Set(metric.events), way: way, purpose: metric.purpose)]
        }
        switch (answer.insight.kind, metric.within?.kind) {
        case (.funnel, .funnel(let steps)?):
            return steps.dropFirst().filter(\.filters.isEmpty).map {
                Tally(
                    title: $0.title.text, events: [$0.event], way: "\(answer.noun.many) that took each step before it",
                    purpose: metric.purpose)
            }
        case (.reach, _): return tally("devices, each once")
        case (.frequency, _): return tally("\(answer.noun.many), each once")
        case (.count, nil): return tally("every \(answer.noun.one)")
        default: return []
        }
    }
}
