extension PlanComparison {
    /// Compares what numbers tell together with others of the same events.
    mutating func compareTies() throws {
        for tie in new.allTies where isNews(tie) { note(.ties, "the same events", tie.sentence) }
        for metric in new.metrics { try noteParts(metric) }
    }

    /// Whether two of a tie's metrics were not tied before, or share something that they did not.
    private func isNews(_ tie: Plan.Tie) -> Bool {
        tie.metrics.enumerated().contains { place, metric in
            guard let before = old.metric(metric.name), before.margin == nil else { return true }
            return tie.metrics.dropFirst(place + 1).contains { other in
                guard let former = old.metric(other.name), former.margin == nil,
                    old.counted(by: before).isTied(to: old.counted(by: former))
                        || !new.counted(by: metric).isTied(to: new.counted(by: other))
                else { return true }
                return !Set(new.shared(metric, other)).isSubset(of: old.shared(before, former))
            }
        }
    }

    /// Says beside which numbers the two parts of a period are published whose metric gets new counters within it.
    private mutating func noteParts(_ metric: Metric) throws {
        guard let before = old.metric(metric.name), metric.margin == nil, before.margin == nil,
            try isSplit(metric, before)
        else { return }
        let former = Set(old.metrics(tiedTo: before).map(\.name))
        let whole = try new.metrics(tiedTo: metric).filter { other in
            guard former.contains(other.name), let its = old.metric(other.name) else { return false }
            return try !isSplit(other, its)
        }
        guard !whole.isEmpty else { return }
        let names = whole.map { "'\($0.name)'" }.joined(separator: ", ")
        note(
            .ties, "metric '\(metric.name)'",
            """
            its two parts of the period under way and what \(names) \(whole.count == 1 ? "counts" : "count") in all of it \
            tell more together than each alone: they are decided together, with the strictest terms of both plans
            """, purpose: metric.purpose)
    }

    /// Compares what numbers have to keep to, with what tied metrics ask of them.
    mutating func compareStrictness(_ now: Metric, _ before: Metric, _ subject: String) {
        let purpose = now.purpose
        let (mine, its) = (new.strictest(now), old.strictest(before))
        // An app's k is said of the app.
        if mine.threshold > new.app.threshold || its.threshold > old.app.threshold {
            let why = now.threshold < mine.threshold ? new.because(now) { $0.threshold == mine.threshold } : ""
            noteSize(subject, its.threshold, mine.threshold, purpose: purpose, widensBy: false) { old, new in
                "a number stands for \(new.devices) devices instead of \(old.devices), "
                    + Self.whenHeld(isMore: new > old)
                    + why
            }
        }
        let why = now.protection < mine.protection ? new.because(now) { $0.protection == mine.protection } : ""
        noteSize(subject, its.protection, mine.protection, purpose: purpose, widensBy: false) { old, new in
            "estimates stay \(new.percent) % away instead of \(old.percent) %, " + Self.whenHeld(isMore: new > old)
                + why
        }
        let (new, own) = (self.new, now.sensitive)
        noteSet(
            subject, its.sensitive, mine.sensitive, purpose: purpose, came: .tightens, went: .widens
        ) { name, isNew in
            (isNew ? "'\(name)' is sensitive, " : "'\(name)' is sensitive no longer, ") + Self.whenHeld(isMore: isNew)
                + (isNew && !own.contains(name) ? new.because(now) { $0.sensitive.contains(name) } : "")
        }
    }
}

extension Plan {
    /// What a metric's numbers keep to: the most that it or any tied metric asks for.
    fileprivate func strictest(
        _ metric: Metric
    ) -> (threshold: Threshold, protection: Protection, sensitive: [DimensionName]) {
        (
            releaseThreshold(of: metric), metrics(tiedTo: metric).map(\.protection).reduce(metric.protection, max),
            sensitiveDimensions(of: metric)
        )
    }

    /// Which tied metrics ask for something, as the end of a sentence.
    fileprivate func because(_ metric: Metric, _ asks: (Metric) -> Bool) -> String {
        let names = metrics(tiedTo: metric).filter(asks).map { "'\($0.name)'" }
        return
            ", because \(names.joined(separator: ", ")) \(names.count == 1 ? "counts" : "count") some of the same events"
            + " and \(names.count == 1 ? "asks" : "ask") for it"
    }
}
