extension ProcessingRecord.Measure {
    /// Returns the measures that Throng takes for this plan by itself, each with its limits.
    static func all(of plan: Plan) -> [Self] {
        Kind.allCases.compactMap { kind in plan.text(of: kind).map { Self(kind: kind, text: $0) } }
    }
}

extension ProcessingRecord.Measure.Kind {
    var title: String {
        switch self {
        case .plan: "Only what is planned"
        case .identifiers: "Short-lived identifiers"
        case .transport: "Sent without an address"
        case .coarsening: "Coarsening before storage"
        case .threshold: "Smallest group"
        case .bound: "Bound of one identifier"
        case .margin: "Numbers that are off on purpose"
        case .revealed: "Values that are learned"
        case .devices: "What devices say of themselves"
        case .signals: "Signals that refuse"
        case .children: "Children"
        case .deletion: "Deletion"
        case .access: "Access"
        case .staff: "People who sign in"
        case .reports: "Reports"
        }
    }
}

extension Plan {
    fileprivate func text(of kind: ProcessingRecord.Measure.Kind) -> String? {
        switch kind {
        case .plan:
            let closed = purposes.filter { $0.senders == .backends }.map(\.name.text)
            return
                "An event, a field or a value that this record does not list changes no number, but that of refusals."
                + (closed.isEmpty
                    ? "" : " For \(closed.joined(separator: ", ")) only backends may send, which show a secret.")
        case .identifiers: return identifiersText
        case .transport: return transportText
        case .coarsening:
            return """
                Values become one of the listed words, or part of a sum, before anything is written. No table, log, metric \
                or temporary file holds any other value as it came, an address, an identifier or a single event in the clear.\
                \(dimensions.contains(where: \.isRevealed) ? " Values that are learned are an exception (below)." : "")
                """
        case .threshold: return thresholdText
        case .bound: return boundText
        case .margin: return recordedMargins
        case .revealed: return learnedText
        case .devices:
            let names = metrics.filter { $0.countsFirsts || $0.answered != nil }.map(\.title)
            guard !names.isEmpty else { return nil }
            return """
                In the place of a lasting identifier, devices say themselves whether they came back, how often, or whether \
                an event is their first: \(names.joined(separator: ", ")). Nobody can check that.
                """
        case .signals: return signalText
        case .children: return recordedChildren
        case .deletion:
            return """
                Numbers go at the ages of part 6, once a day. What went is written down in a chain of digests \
                ('throng retention status --ledger'), and what is overdue is said ('throng retention status'). A later plan that \
                keeps numbers for longer does so for what is counted from then on. \(Self.countsText)
                """
        case .access:
            return """
                Roles in PostgreSQL are separate: analysts' logins read released numbers and no counters. Partners see \
                their own reports only. \(Self.countsReaders)
                """
        case .staff:
            return """
                Staff and partners sign in to pages with tokens. Of each its hash, role and dates are kept, and the operator's \
                note of whom it was given to, which goes 30 days after the token expires or is taken back. A sign-in is a \
                cookie's hash and its times. It goes an hour after the last look, or after twelve hours; a partner's goes after 30 \
                days. The last hour in which each partner's token read a report is kept as long as the token opens anything. \
                Addresses are not kept.
                """
        case .reports:
            guard !reports.isEmpty else { return nil }
            return """
                Reports hold released numbers only, come with a signed manifest that 'throng verify' checks, and say of each \
                number what it stands on.
                """
        }
    }

    private var identifiersText: String {
        let rotations = purposes.filter(\.hasIdentifiers).map {
            "\($0.name) after \(Duration.seconds($0.rotation.seconds).planText)"
        }
        let absent = purposes.filter { !$0.hasIdentifiers }.map(\.name.text)
        let without =
            absent.isEmpty
            ? ""
            : """
            Without identifiers: \(absent.joined(separator: ", ")). A value is sent and a counter goes up, so that nobody \
            can tell whose it was, count devices or take anything back.
            """
        guard !rotations.isEmpty else { return without }
        let within = metrics.filter { $0.within != nil }.map(\.title)
        let progress =
            within.isEmpty
            ? "" : ", and how far it came or how often it did something (\(within.joined(separator: ", ")))"
        return """
            Each purpose has identifiers of its own, which the client replaces: \(rotations.joined(separator: ", ")). \
            On arrival each is replaced by a hash under a random key of its window. The key is destroyed when the \
            window is over and PostgreSQL has all of it. Until then the journal on the disk holds, encrypted under that \
            key, what was counted of it\(progress). Whether identifiers really change is up to the client.\
            \(without.isEmpty ? "" : " " + without)
            """
    }

    private var learnedText: String? {
        let names = dimensions.filter(\.isRevealed).map { dimension in
            "\(dimension.title) from \(revealThreshold(of: dimension.name).devices) devices on"
        }
        guard !names.isEmpty else { return nil }
        return """
            Values that nobody can list come as hashes, and are asked for when enough devices sent the same within one \
            window: \(names.joined(separator: ", ")). Rarer ones are never known. \
            \(hidingText)
            """
    }

    private var recordedChildren: String? {
        let names = purposes.filter(countsChildren).map(\.name.text)
        guard app.directedTo != .general else { return nil }
        return """
            \(names.isEmpty ? "No purpose counts children" : "Children are counted for \(names.joined(separator: ", "))"). A \
            plan that counts them for marketing, by an identifier that lives longer than \
            \(Duration.seconds(Self.rotationForChildren.seconds).planText) or is known again after a launch, with values that \
            nobody has listed, or with a smallest group under \(Threshold.forChildren.devices) is refused. Who is a child only \
            the client can know.
            """
    }

    private var thresholdText: String? {
        let counted = metrics.filter { purpose($0.purpose)?.hasIdentifiers == true }
        guard !counted.isEmpty else { return nil }
        let higher = counted.filter { $0.threshold > app.threshold }.map { "\($0.title) for \($0.threshold.devices)" }
        let more = higher.isEmpty ? "" : "; " + higher.joined(separator: ", ")
        let except = counted.count < metrics.count ? " of a purpose with identifiers" : ""
        let shown = purposes.filter(\.hasIdentifiers)
        let proved = shown.filter(\.needsProof).map(\.name.text)
        let proof = proved.isEmpty ? "" : " For \(proved.joined(separator: ", ")) only proved ones count."
        let honest = " Identifiers without proof cost nothing, so this holds against clients that are honest."
        return """
            A published number\(except) stands for at least \(app.threshold.devices) devices\(more), counted by the distinct \
            identifiers of one window; on the web each tab has its own.\(proof)\(proved.count == shown.count ? "" : honest)
            """
    }

    private var boundText: String {
        func bounds(_ metrics: [Metric]) -> [String] {
            metrics.map { "\($0.title) \(PlanNumber.text($0.contributionBound))" }
        }
        let alone = bounds(metrics.filter { purpose($0.purpose)?.hasIdentifiers == false })
        let bounds = bounds(metrics.filter { $0.within == nil && purpose($0.purpose)?.hasIdentifiers == true })
        let events =
            bounds.isEmpty
            ? ""
            : "One identifier adds at most so many events to a metric in one window: \(bounds.joined(separator: ", ")). "
        let once = metrics.filter { $0.within != nil }.map(\.title)
        let within = once.isEmpty ? "" : "Each identifier counts once in \(once.joined(separator: ", ")). "
        let single =
            alone.isEmpty
            ? ""
            : "One event counts at most, and nobody knows who sends several: \(alone.joined(separator: ", ")). "
        return events + within + single + "What is added up is clipped."
    }

    private var signalText: String? {
        let refused = purposes.filter { !$0.refusedBy.isEmpty }.map { purpose in
            "\(purpose.name) by \(purpose.refusedBy.map(\.rawValue).sorted().joined(separator: ", "))"
        }
        guard !refused.isEmpty else { return nil }
        let isOurs = !Set(purposes.flatMap(\.refusedBy)).isDisjoint(with: [.globalPrivacyControl, .doNotTrack])
        let theirs = [OptOutSignal.limitAdTracking, .ageSignal].filter { signal in
            purposes.contains { $0.refusedBy.contains(signal) }
        }
        return "Nothing is counted where a person's software says no: \(refused.joined(separator: "; "))."
            + (isOurs ? " The daemon holds itself to the headers Sec-GPC and DNT." : "")
            + (theirs.isEmpty
                ? ""
                : " Only the client knows of \(theirs.map(\.rawValue).joined(separator: " and ")), and keeps silent then.")
    }
}
