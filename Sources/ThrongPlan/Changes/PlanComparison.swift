/// Two plans while they are compared, and what was found so far.
struct PlanComparison {
    let old: Plan
    let new: Plan
    let rules: UserAgentRules
    private(set) var changes: [PlanChange] = []

    /// A part of a plan, as changes name it, and the purpose that it is for, if it is one.
    struct Part {
        let subject: String
        var purpose: PurposeName?

        init(_ subject: String, of purpose: PurposeName? = nil) { (self.subject, self.purpose) = (subject, purpose) }

        static let app = Part("app")
        static func purpose(_ name: PurposeName) -> Part { Part("purpose '\(name)'", of: name) }
    }

    mutating func note(_ kind: PlanChange.Kind, _ part: Part, _ meaning: String) {
        changes.append(PlanChange(kind: kind, subject: part.subject, meaning: meaning, purpose: part.purpose))
    }

    /// Notes a change for less, or else one for more.
    mutating func note(_ part: Part, isLess: Bool, _ less: String, else more: String) {
        note(isLess ? .tightens : .widens, part, isLess ? less : more)
    }

    /// Notes that something is otherwise, if it is.
    mutating func noteChange<Value: Equatable>(
        _ kind: PlanChange.Kind, _ part: Part, _ old: Value, _ new: Value, _ meaning: @autoclosure () -> String
    ) { if old != new { note(kind, part, meaning()) } }

    mutating func noteWords(_ part: Part, _ pairs: [(name: String, old: String, new: String)]) {
        let changed = pairs.filter { $0.old != $0.new }.map { "'\($0.name)'" }
        if !changed.isEmpty { note(.words, part, "\(changed.joined(separator: ", ")) reads otherwise") }
    }

    /// Notes that a number grew or shrank; `more` says whether a greater number widens or tightens.
    mutating func noteSize<Value: Comparable>(
        _ part: Part, _ old: Value, _ new: Value, widensBy more: Bool, _ meaning: (_ old: Value, _ new: Value) -> String
    ) {
        guard old != new else { return }
        note((new > old) == more ? .widens : .tightens, part, meaning(old, new))
    }

    mutating func noteSet<Value: Hashable & Comparable>(
        _ part: Part, _ old: some Sequence<Value>, _ new: some Sequence<Value>, came: PlanChange.Kind = .widens,
        went: PlanChange.Kind = .tightens, _ meaning: (_ value: Value, _ isNew: Bool) -> String
    ) {
        let (old, new) = (Set(old), Set(new))
        for value in new.subtracting(old).sorted() { note(came, part, meaning(value, true)) }
        for value in old.subtracting(new).sorted() { note(went, part, meaning(value, false)) }
    }

    /// Notes another k, and when it takes effect.
    mutating func noteThreshold(_ part: Part, _ old: Threshold, _ new: Threshold) {
        noteSize(part, old, new, widensBy: false) { old, new in
            "a number stands for \(new.devices) devices instead of \(old.devices), "
                + (new > old
                    ? "at once, also for periods that wait for their release"
                    : "from the first period that begins an hour or more after the daemon starts with this plan")
        }
    }

    /// Returns the words that people read at a place, before and now, in all languages of each plan.
    func words(_ place: String, _ before: String, _ now: String) -> (name: String, old: String, new: String) {
        let key = place.split(separator: ".").last.map(String.init) ?? place
        return (key, old.allWords(place, before), new.allWords(place, now))
    }

    // MARK: The app and its purposes

    mutating func compareApps() {
        let (before, now) = (old.app, new.app)
        noteWords(
            .app,
            [
                words("app.title", before.title, now.title), ("owner", before.owner, now.owner),
                ("contact", before.contact, now.contact),
            ])
        noteThreshold(.app, before.threshold, now.threshold)
        let cost = now.budget.map { "cost at most ρ \(PlanNumber.text($0))" } ?? "have no budget"
        noteChange(
            .runs, .app, before.budget, now.budget,
            "what is said of a device and day may \(cost): margins of new releases follow")
        compareAges()
        compareRelays()
        compareEvaluators()
        noteChange(
            .splits, .app, before.timeZone, now.timeZone,
            "days begin in \(now.timeZone) instead of \(before.timeZone): every metric gets new counters")
        noteChange(
            .runs, .app, before.grace, now.grace,
            "releases wait \(now.grace.planText) for late events instead of \(before.grace.planText)")
        let keys = now.keys == .required ? "are refused: give clients theirs first" : "count, too"
        noteChange(.runs, .app, before.keys, now.keys, "batches without an app key \(keys)")
        noteChange(.runs, .app, before.audience, now.audience, "the expected audience is another; only advice uses it")
    }

    private func isWorded(_ now: Purpose, _ before: Purpose) -> Bool {
        let place = "purposes.\(now.name).explanation"
        return old.allWords(place, before.explanation) != new.allWords(place, now.explanation)
    }

    mutating func compare(_ now: Purpose, _ before: Purpose?) {
        let part = Part.purpose(now.name)
        guard let before else { return note(.widens, part, "is new: nobody was told of it") }
        if isWorded(now, before) { note(.words, part, "its explanation reads otherwise") }
        if before.needsConsent != now.needsConsent {
            note(
                part, isLess: now.needsConsent, "counts only those who agree; nobody has been asked yet",
                else: "counts everybody, no longer only those who agree")
        } else if before.needsParent != now.needsParent {
            note(
                part, isLess: now.needsParent, "a parent has to agree for a child; no parent has been asked yet",
                else: "everybody agrees for themselves, no longer a parent for a child")
        }
        compareUses(now, before, part)
        // Whoever is not asked was told of the former basis; a change of consent is noted above.
        if !now.needsConsent, !before.needsConsent, before.legalBasis != now.legalBasis {
            func words(_ basis: LegalBasis?) -> String { basis?.words ?? "what the plan does not say" }
            note(
                before.legalBasis == nil ? .words : .widens, part,
                "its legal basis is \(words(now.legalBasis)) instead of \(words(before.legalBasis))")
        }
        noteSet(
            part, before.refusedBy.map(\.rawValue), now.refusedBy.map(\.rawValue), came: .tightens, went: .widens
        ) { signal, isNew in isNew ? "\(signal) refuses it, too" : "\(signal) refuses it no longer" }
        compareIdentifiers(now, before, part)
        compareTransports(now, before, part)
        noteSize(part, before.floorPerNetwork ?? .max, now.floorPerNetwork ?? .max, widensBy: true) { _, new in
            new == .max
                ? "any number of identifiers of one network lifts floors"
                : "\(new) identifiers of one network lift floors in a window"
        }
        noteChange(
            .runs, part, before.senders, now.senders,
            now.senders == .backends
                ? "only backends send, which show a secret; clients are refused"
                : "clients send, too, no longer backends only")
        noteSize(part, before.retention, now.retention, widensBy: true) { old, new in
            "numbers are kept \(new.planText) instead of \(old.planText): "
                + (new > old ? "of what is counted from now on" : "of everything")
        }
    }

    private mutating func compareIdentifiers(_ now: Purpose, _ before: Purpose, _ part: Part) {
        func life(_ rotation: Rotation) -> String { Duration.seconds(rotation.seconds).planText }
        if before.identifier != now.identifier {
            note(
                part, isLess: !now.hasIdentifiers,
                "devices show no identifier any more, and nothing that they send can be taken back",
                else: "devices show an identifier, which lives \(life(now.rotation))")
        } else if now.hasIdentifiers {
            noteSize(part, before.rotation, now.rotation, widensBy: true) { old, new in
                "an identifier lives \(life(new)) instead of \(life(old))"
            }
        }
        if before.floor != now.floor {
            note(
                part, isLess: now.floor == .attested,
                "only devices that prove their identifier count for k; what was counted before is a series of its own",
                else: "devices count for k without proof, and whoever makes identifiers up can be a crowd")
        }
    }

    // MARK: Consent

    /// Notes the purposes for which people have to be asked: those who agreed to a narrower one, or were never asked.
    mutating func askAgain() {
        for purpose in new.purposes where purpose.needsConsent {
            if let before = old.purpose(purpose.name), before.needsConsent {
                compareVersions(purpose, before)
            } else {
                note(.asks, .purpose(purpose.name), "nobody has been asked yet")
            }
        }
    }

    private mutating func compareVersions(_ now: Purpose, _ before: Purpose) {
        let part = Part.purpose(now.name)
        let (version, former) = (now.consentVersion, before.consentVersion)
        let change = "consent_version is \(version) instead of \(former)"
        guard version >= former else {
            let advice = "write \(former), or \(former + 1) where people have to be asked again"
            return note(.unasked, part, "\(change), and only grows: \(advice)")
        }
        let wider = changes.filter { $0.purpose == now.name && $0.kind == .widens }
            .map { "\($0.subject) \($0.meaning)" }.joined(separator: "; ")
        let readsOtherwise = isWorded(now, before)
        let why = wider.isEmpty && readsOtherwise ? "its explanation reads otherwise" : wider
        if version > former {
            note(
                .asks, part,
                "\(change): clients ask again, and count nothing of anybody who agreed to an earlier one until they agree"
                    + (why.isEmpty ? "" : ": \(why)"))
        } else if !wider.isEmpty {
            note(
                .unasked, part,
                "people agreed to another one, and clients go on counting them: raise consent_version to \(former + 1), "
                    + "so that they are asked again: \(why)")
        } else if readsOtherwise {
            note(.asks, part, "people agreed to another one: \(why)")
        }
        if now.needsParent, !before.needsParent { note(.asks, part, "no parent has been asked yet") }
    }

    mutating func compareAges() {
        let (before, now) = (old.app.directedTo, new.app.directedTo)
        guard before != now else { return }
        let isLess = now == .children || now == .mixed && before == .general
        let change = "is directed to \(now.audience) instead of \(before.audience)"
        note(
            .app, isLess: isLess, "\(change): terms for children hold",
            else: "\(change): terms for children hold no longer, or for fewer")
        // Parents were told of each purpose.
        for purpose in new.purposes where !isLess && !new.countsChildren(purpose) {
            guard let former = old.purpose(purpose.name), old.countsChildren(former) else { continue }
            note(.widens, .purpose(purpose.name), "is held to the terms for children no longer")
        }
    }

    mutating func compareUses(_ now: Purpose, _ before: Purpose, _ part: Part) {
        guard before.use != now.use else { return }
        let kind: PlanChange.Kind =
            switch (before.use, now.use) {
            case (nil, .marketing): .widens
            case (nil, _): .words
            case (.marketing, .some): .tightens
            default: .widens
            }
        func words(_ use: PurposeUse?) -> String { use?.rawValue ?? "what the plan does not say" }
        note(kind, part, "is used for \(words(now.use)) instead of \(words(before.use))")
    }

    mutating func compareRelays() {
        guard let before = old.app.relay, let now = new.app.relay, before != now else { return }
        note(.widens, .app, "the relay \(now.host) sees addresses, no longer \(before.host)")
    }

    /// Notes that values can be guessed, or can't any more, and that they are learned anew.
    mutating func compareEvaluators() {
        let (before, now) = (old.app.evaluator, new.app.evaluator)
        guard before != now else { return }
        guard let now else {
            return note(
                .widens, .app,
                "nobody evaluates values any more: whoever runs the daemon can try guesses against hashes")
        }
        guard let before else {
            let change = "values are evaluated by \(now.url.host) before they are hashed"
            return note(.tightens, .app, "\(change); plain hashes count as other from the start on")
        }
        noteChange(
            .widens, .app, before.url, now.url,
            "the evaluator \(now.url.host) sees addresses, no longer \(before.url.host)")
        noteChange(
            .runs, .app, before.key, now.key,
            "the evaluator has another key: labels count again once enough devices with this plan have sent them")
    }

    mutating func compareTransports(_ now: Purpose, _ before: Purpose, _ part: Part) {
        guard before.transport != now.transport else { return }
        note(
            part, isLess: now.transport == .oblivious,
            "goes through the relay, so that the daemon sees no address; what comes directly is refused from the start on",
            else: "goes to the daemon directly, which sees the address")
    }
}

extension DirectedTo {
    /// The audience, as the end of a sentence.
    fileprivate var audience: String {
        switch self {
        case .general: "a general audience"
        case .children: "children"
        case .mixed: "a mixed audience"
        }
    }
}

/// One change of a plan: its effect on counters, on what people were told, or on the operator's work.
package struct PlanChange: Sendable, Hashable, Encodable {
    package let kind: Kind
    /// The changed part of the plan, such as "metric 'views'".
    package let subject: String
    package let meaning: String
    /// The purpose concerned; nil if the change concerns none or all of them.
    let purpose: PurposeName?

    /// Sorts of changes, those first that ask for most.
    package enum Kind: String, Sendable, Hashable, CaseIterable, Comparable, Encodable {
        /// People agreed to less than this, and their clients don't know: they go on counting without asking.
        case unasked
        /// People agreed to less than this: they have to be asked again.
        case asks
        /// More is counted, kept, published or handed on than people were told.
        case widens
        /// Counters start anew; the period under way is released in two parts.
        case splits
        /// Less is counted, kept, published or handed on than people were told.
        case tightens
        /// The operator's work changes.
        case runs
        /// Words only.
        case words

        /// Orders the sorts by what they ask for, the most first.
        package static func < (left: Self, right: Self) -> Bool {
            allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
        }
    }

    private enum CodingKeys: String, CodingKey { case kind, subject, meaning }
}

/// Everything that a new plan does in a former one's place.
package struct PlanDiff: Sendable {
    /// The changes, those first that ask for most, then in the order of the plans.
    package let changes: [PlanChange]

    /// Compares two plans of one app.
    ///
    /// - Throws: ``PlanProblem`` where a bucketing cannot be compiled, such as missing user agent rules.
    package init(from old: Plan, to new: Plan, rules: UserAgentRules) throws {
        var comparison = PlanComparison(old: old, new: new, rules: rules)
        comparison.compareApps()
        for purpose in new.purposes { comparison.compare(purpose, old.purpose(purpose.name)) }
        for purpose in old.purposes where new.purpose(purpose.name) == nil {
            comparison.note(.tightens, .init("purpose '\(purpose.name)'"), "nothing is counted for it any more")
        }
        comparison.compareDimensions()
        try comparison.compareMetrics()
        comparison.compareReports()
        comparison.askAgain()
        let all = comparison.changes
        changes = all.indices.sorted { (all[$0].kind, $0) < (all[$1].kind, $1) }.map { all[$0] }
    }

    package var kinds: Set<PlanChange.Kind> { Set(changes.map(\.kind)) }
}
