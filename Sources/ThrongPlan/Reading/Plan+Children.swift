extension Plan {
    /// True if a purpose counts people who are children, or of whom nobody knows that they are not.
    package func countsChildren(_ purpose: Purpose) -> Bool {
        switch app.directedTo {
        case .general: false
        case .children: true
        case .mixed: !purpose.refusedBy.contains(.ageSignal)
        }
    }

    /// The longest life of a child's identifier.
    package static let rotationForChildren = Rotation(seconds: 3600)

    func childrenProblems(_ purpose: Purpose) -> [String] {
        countsChildren(purpose) ? countingProblems(purpose) : adultProblems(purpose)
    }

    /// The other way out for a plan for a mixed audience, as the end of a sentence; empty for other plans.
    private var wayOut: String { app.directedTo == .mixed ? ", or give the purpose 'refused_by: [age_signal]'" : "" }

    @ListBuilder<String> private func countingProblems(_ purpose: Purpose) -> [String] {
        switch purpose.use {
        case nil:
            let allowed = PurposeUse.allCases.filter { $0 != .marketing }.map(\.rawValue).joined(separator: ", ")
            "it counts children and does not say what for; add 'use', which may be \(allowed)\(wayOut)"
        case .marketing: "'use' is marketing, for which children are not counted\(wayOut)"
        default: []
        }
        if purpose.refusedBy.contains(.ageSignal) {
            "'refused_by' has age_signal, which would refuse everybody in an app that is directed to children; leave "
                + "it out, or write 'directed_to: mixed'"
        }
        if purpose.needsConsent, !purpose.needsParent {
            "'consent' is required, but a child can't give it alone; write 'consent: parent', or not_required where "
                + "nobody has to be asked\(wayOut)"
        }
        if purpose.rotation > Self.rotationForChildren {
            """
            'rotation' is \(Duration.seconds(purpose.rotation.seconds).planText); at most \
            \(Duration.seconds(Self.rotationForChildren.seconds).planText) is allowed where children are counted\(wayOut)
            """
        }
    }

    @ListBuilder<String> private func adultProblems(_ purpose: Purpose) -> [String] {
        if purpose.needsParent, app.directedTo == .mixed {
            "'consent' is parent, but children are not counted, as 'refused_by' has age_signal; write 'consent: required'"
        } else if purpose.needsParent {
            "'consent' is parent, but the app is not directed to children; write 'consent: required', or give the app "
                + "'directed_to: children' or mixed"
        }
    }

    func childrenProblems(_ metric: Metric) -> [String] {
        purpose(metric.purpose).map(countsChildren) == true ? countingProblems(metric) : []
    }

    @ListBuilder<String> private func countingProblems(_ metric: Metric) -> [String] {
        // An app that is directed to children has such a threshold to begin with.
        if metric.threshold < .forChildren, app.directedTo == .mixed {
            "its threshold is \(metric.threshold.devices) devices; at least \(Threshold.forChildren.devices) are "
                + "needed where children are counted\(wayOut)"
        }
        if let name = metric.dimensions.first(where: { dimension($0)?.isRevealed ?? false }) {
            "'\(name)' learns values that nobody has listed, which is not allowed where children are counted; leave it "
                + "out\(wayOut)"
        }
        if metric.countsFirsts || metric.provesFirsts {
            """
            with 'reach: \(metric.countsFirsts ? "client" : "attested")' a device is known again after a launch, which is not allowed where children are counted; \
            write 'reach: true'\(wayOut)
            """
        }
        if metric.answered != nil {
            "with 'answered' a device is known again after a launch, which is not allowed where children are counted; "
                + "leave the metric out\(wayOut)"
        }
    }
}
