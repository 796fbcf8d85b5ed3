extension Plan {
    func identifierProblems() -> [PlanProblem] {
        metrics.filter { purpose($0.purpose)?.hasIdentifiers == false }.flatMap { metric in
            unknown(metric).map {
                places.problem(
                    on: .metric, metric.name,
                    "its purpose '\(metric.purpose)' has 'identifier: none', \($0)")
            }
        }
    }

    /// Returns what a metric asks that nobody can know without identifiers.
    private func unknown(_ metric: Metric) -> [String] {
        var messages: [String] = []
        if metric.reach {
            messages.append("so devices can't be counted; leave 'reach' out, or write 'identifier: rotating'")
        }
        if let revealed = metric.dimensions.first(where: { self.dimension($0)?.isRevealed == true }) {
            messages.append(
                """
                so nobody knows how many devices sent a value of dimension '\(revealed)' before it is learned; leave the dimension \
                out, or write 'identifier: rotating'
                """)
        }
        if let within = metric.within {
            messages.append(
                """
                so nobody knows what one device did within a window; leave '\(within.word)' out, or write \
                'identifier: rotating'
                """)
        }
        if let answer = metric.answered {
            messages.append(
                """
                and for '\(answer.word)' a device would have to remember what it did for weeks; leave 'answered' out, or \
                write 'identifier: rotating'
                """)
        }
        return messages
    }
}
