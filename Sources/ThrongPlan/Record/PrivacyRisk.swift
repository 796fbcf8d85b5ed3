/// A risk to people who are counted, rated by the three questions of the ICO's template of an impact assessment.
struct PrivacyRisk: Sendable, Hashable {
    let kind: Kind
    /// The way in which harm comes about.
    let source: String
    let severity: Severity
    /// The likelihood if events were stored as they come.
    let before: Likelihood
    /// The likelihood with ``measures``.
    let after: Likelihood
    let measures: Set<ProcessingRecord.Measure.Kind>
    /// The reason for ``after``.
    let reason: String

    /// The three of Opinion 05/2014 of the Article 29 Working Party, then those of people with a part in it.
    enum Kind: String {
        case singlingOut = "Singling out"
        case linkability = "Linkability"
        case inference = "Inference"
        case forgedCrowds = "Forged crowds"
        case operators = "Operators and intruders"
        case partners = "Partners"
        case learnedValues = "Values that are learned"
    }

    enum Likelihood: String { case remote, possible, probable }
    enum Severity: String { case significant, severe }
    enum Time { case before, after }

    /// The overall risk, by the ICO's table: low, medium or high.
    func overall(_ time: Time) -> String {
        switch (severity, time == .before ? before : after) {
        case (_, .remote): "low"
        case (.significant, .possible): "medium"
        case (.significant, .probable), (.severe, _): "high"
        }
    }

    /// Returns the risks that a plan has.
    static func all(of plan: Plan) -> [Self] {
        [plan.singlingOut, plan.linkability, plan.inference, plan.forgedCrowds, plan.operators]
            + (plan.partners.isEmpty ? [] : [plan.partnersRisk])
            + (plan.metrics.contains(where: plan.learnsValues) ? [plan.learnedValues] : [])
    }
}

extension Plan {
    /// Harm to a child weighs more.
    private func severity(of purposes: [Purpose]) -> PrivacyRisk.Severity {
        purposes.contains(where: countsChildren) ? .severe : .significant
    }

    private var severity: PrivacyRisk.Severity { severity(of: purposes) }

    private var shown: [Purpose] { purposes.filter(\.hasIdentifiers) }

    private func names(_ purposes: [Purpose]) -> String { purposes.map(\.name.text).listed }

    fileprivate var singlingOut: PrivacyRisk {
        let absent = purposes.filter { !$0.hasIdentifiers }
        return PrivacyRisk(
            kind: .singlingOut,
            source: """
                Somebody sees in a published number that one person is among those counted, or what that person did, as in a \
                group of one.
                """, severity: severity, before: .probable, after: absent.isEmpty ? .remote : .possible,
            measures: [.coarsening, .threshold, .margin, .bound, .children],
            reason: sentences {
                "Small groups are left out, and every margin is wider than what one device or action adds."
                if !absent.isEmpty {
                    "For \(names(absent)) the smallest group counts actions: a device that sends many more than the "
                        + "bound in a period is hidden less."
                }
            })
    }

    fileprivate var linkability: PrivacyRisk {
        let longest = shown.max { $0.rotation < $1.rotation }?.rotation
        let seen = purposes.filter { $0.transport == .direct && $0.senders == .anybody }
        let hidden = purposes.filter { $0.transport == .oblivious }
        return PrivacyRisk(
            kind: .linkability,
            source: shown.isEmpty
                ? "Somebody joins what arrives with the address that it came from."
                : """
                Somebody puts together what one device did at several times or for several purposes, or joins it with an address.
                """, severity: severity, before: .probable,
            after: longest.map { $0.seconds > 3600 } == true ? .possible : .remote,
            measures: [.identifiers, .transport, .plan],
            reason: sentences {
                "Published numbers, and all that is stored once a window is over, have nothing in them that two events share."
                longest.map {
                    "An identifier lives \(Duration.seconds($0.seconds).planText) at most, and serves one purpose."
                } ?? "No identifier is sent."
                if !seen.isEmpty { "Addresses are seen on arrival for \(names(seen)), and are not kept." }
                if !hidden.isEmpty {
                    "The relay sees addresses and no events for \(names(hidden)), the daemon events and no addresses."
                }
            })
    }

    fileprivate var inference: PrivacyRisk {
        PrivacyRisk(
            kind: .inference,
            source: """
                Somebody compares numbers of several days, groups or recipients, and works out what few people did; or takes what \
                is true of a group to be true of each in it.
                """, severity: severity, before: .possible, after: .remote, measures: [.margin, .bound, .coarsening],
            reason: """
                Noise is in each number, and equal questions have equal answers. 'throng audit' says what all that was released \
                tells together. The truth about a large group stays visible: it is the answer that was asked for.
                """)
    }

    fileprivate var forgedCrowds: PrivacyRisk {
        let open = purposes.filter { !$0.needsProof && $0.senders == .anybody }
        let bounded = open.filter { $0.floorPerNetwork != nil }
        let kept = purposes.filter { !open.contains($0) }
        return PrivacyRisk(
            kind: .forgedCrowds,
            source:
                "Somebody invents senders, so that a group of few looks like a large one, or so that numbers are false.",
            severity: severity(of: open.isEmpty ? purposes : open), before: open.isEmpty ? .possible : .probable,
            after: open.isEmpty ? .remote : .possible, measures: [.threshold, .margin, .bound],
            reason: sentences {
                if !kept.isEmpty { "Only proved devices lift a group, or only backends send, for \(names(kept))." }
                if !open.isEmpty { "Nothing proves senders for \(names(open))." }
                if !bounded.isEmpty { "Of one network only some lift a group, for \(names(bounded))." }
                open.isEmpty ? "The margin holds whoever sends." : "The margin holds all the same, whoever sends."
            })
    }

    fileprivate var operators: PrivacyRisk {
        let seen = shown.filter { $0.transport == .direct && $0.senders == .anybody }
        return PrivacyRisk(
            kind: .operators,
            source: """
                Somebody who runs the machines, or breaks into them, reads exact counts of small groups until they go, or changes \
                the program and sees what arrives.
                """, severity: severity(of: seen.isEmpty ? purposes : seen), before: .probable,
            after: seen.isEmpty ? .remote : .possible,
            measures: [.identifiers, .coarsening, .deletion, .access, .transport],
            reason: """
                Counts are stored, and what open windows have, encrypted. Arriving events have \
                \(seen.isEmpty ? "no identifier beside a device's address" : "an address and an identifier for \(names(seen))"); nothing here \
                keeps somebody from it who has the machine.
                """)
    }

    fileprivate var partnersRisk: PrivacyRisk {
        let open = reports.filter { $0.publicity != nil }.map { "'\($0.title)'" }
        return PrivacyRisk(
            kind: .partners,
            source: """
                A partner keeps reports for longer than was said, joins them with others or with what it knows, or uses them for \
                something else.
                """, severity: severity, before: .possible, after: open.isEmpty ? .remote : .possible,
            measures: [.reports, .margin, .access],
            reason: sentences {
                "Partners receive numbers of groups, and all partners' numbers together tell no more of one device "
                    + "than was promised. Reports that were handed over can't be called back."
                if !open.isEmpty { "Everybody may read \(open.listed), copy it and keep it for good." }
            })
    }

    fileprivate var learnedValues: PrivacyRisk {
        PrivacyRisk(
            kind: .learnedValues, source: "A text that many send says something of a person whom it names.",
            severity: severity, before: .probable, after: app.evaluator == nil ? .possible : .remote,
            measures: [.revealed], reason: "Only texts that enough devices sent are learned. \(hidingText)")
    }
}
