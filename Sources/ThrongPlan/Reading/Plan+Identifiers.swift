extension Plan {
    /// What is wrong with metrics of purposes without identifiers, in a plan whose parts are each right.
    func identifierProblems() -> [PlanProblem] {
        metrics.filter { purpose($0.purpose)?.hasIdentifiers == false }.flatMap { metric in
            missing(metric).map {
                places.advice(
                    on: .metric, named: metric.name.text,
                    "metric '\(metric.name)': its purpose '\(metric.purpose)' has 'identifier: none', \($0)")
            }
        }
    }

    /// What a metric lacks, or asks that nobody can know then.
    private func missing(_ metric: Metric) -> [String] {
        var messages: [String] = []
        if metric.margin == nil {
            messages.append(
                """
                so nobody knows how many devices a number stands for, and exact numbers would say what one sent; give the \
                metric 'margin: standard', or write 'identifier: rotating'
                """)
        }
        if metric.reach {
            messages.append("so devices can't be counted; leave 'reach' out, or write 'identifier: rotating'")
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
