/// Two plans while they are compared, and what was found so far.
struct PlanComparison {
    let old: Plan
    let new: Plan
    let rules: UserAgentRules
    private(set) var changes: [PlanChange] = []

    mutating func note(
        _ kind: PlanChange.Kind, _ subject: String, _ meaning: String, purpose: PurposeName? = nil
    ) {
        changes.append(PlanChange(kind: kind, subject: subject, meaning: meaning, purpose: purpose))
    }

    mutating func noteWords(_ subject: String, _ pairs: [(name: String, old: String, new: String)]) {
        let changed = pairs.filter { $0.old != $0.new }.map { "'\($0.name)'" }
        if !changed.isEmpty { note(.words, subject, "\(changed.joined(separator: ", ")) reads otherwise") }
    }

    /// Notes that a number grew or shrank; `more` says whether a greater number widens or tightens.
    mutating func noteSize<Value: Comparable>(
        _ subject: String, _ old: Value, _ new: Value, purpose: PurposeName?, widensBy more: Bool,
        _ meaning: (_ old: Value, _ new: Value) -> String
    ) {
        guard old != new else { return }
        note((new > old) == more ? .widens : .tightens, subject, meaning(old, new), purpose: purpose)
    }

    mutating func noteSet<Value: Hashable & Comparable>(
        _ subject: String, _ old: some Sequence<Value>, _ new: some Sequence<Value>, purpose: PurposeName?,
        came: PlanChange.Kind = .widens, went: PlanChange.Kind = .tightens,
        _ meaning: (_ value: Value, _ isNew: Bool) -> String
    ) {
        let (old, new) = (Set(old), Set(new))
        for value in new.subtracting(old).sorted() { note(came, subject, meaning(value, true), purpose: purpose) }
        for value in old.subtracting(new).sorted() { note(went, subject, meaning(value, false), purpose: purpose) }
    }

    /// Returns the words that say when a changed demand on releases takes effect.
    static func whenHeld(isMore: Bool) -> String {
        isMore
            ? "at once, also for periods that wait for their release"
            : "from the first period that begins an hour or more after the daemon starts with this plan"
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
            "app",
            [
                words("app.title", before.title, now.title),
                ("owner", before.owner, now.owner),
                ("contact", before.contact, now.contact),
            ])
        noteSize("app", before.threshold, now.threshold, purpose: nil, widensBy: false) { old, new in
            "a number stands for \(new.devices) devices instead of \(old.devices), " + Self.whenHeld(isMore: new > old)
        }
        if before.budget != now.budget {
            let text = now.budget.map { "cost at most ρ \(PlanNumber.text($0))" } ?? "have no budget"
            note(.runs, "app", "what is said of a device and day may \(text): margins of new releases follow")
        }
        compareAges()
        compareRelays()
        compareEvaluators()
        if before.timeZone != now.timeZone {
            note(
                .splits, "app",
                "days begin in \(now.timeZone) instead of \(before.timeZone): every metric gets new counters")
        }
        if before.grace != now.grace {
            note(
                .runs, "app",
                "releases wait \(now.grace.planText) for late events instead of \(before.grace.planText)")
        }
        if before.keys != now.keys {
            note(
                .runs, "app",
                now.keys == .required
                    ? "batches without an app key are refused: give clients theirs first"
                    : "batches without an app key count, too")
        }
        if before.audience != now.audience {
            note(.runs, "app", "the expected audience is another; only advice uses it")
        }
    }

    private func isWorded(_ now: Purpose, _ before: Purpose) -> Bool {
        let place = "purposes.\(now.name).explanation"
        return old.allWords(place, before.explanation) != new.allWords(place, now.explanation)
    }

    mutating func compare(_ now: Purpose, _ before: Purpose?) {
        let subject = "purpose '\(now.name)'"
        guard let before else {
            note(.widens, subject, "is new: nobody was told of it", purpose: now.name)
            return
        }
        let name = now.name
        if isWorded(now, before) {
            note(.words, subject, "its explanation reads otherwise", purpose: name)
        }
        if before.needsConsent != now.needsConsent {
            note(
                now.needsConsent ? .tightens : .widens, subject,
                now.needsConsent
                    ? "counts only those who agree; nobody has been asked yet"
                    : "counts everybody, no longer only those who agree", purpose: name)
        } else if before.needsParent != now.needsParent {
            note(
                now.needsParent ? .tightens : .widens, subject,
                now.needsParent
                    ? "a parent has to agree for a child; no parent has been asked yet"
                    : "everybody agrees for themselves, no longer a parent for a child", purpose: name)
        }
        compareUses(now, before, subject)
        noteSet(
            subject, before.refusedBy.map(\.rawValue), now.refusedBy.map(\.rawValue), purpose: name, came: .tightens,
            went: .widens
        ) { signal, isNew in isNew ? "\(signal) refuses it, too" : "\(signal) refuses it no longer" }
        compareIdentifiers(now, before, subject)
        compareTransports(now, before, subject)
        if before.floorPerNetwork != now.floorPerNetwork {
            let isLess = (now.floorPerNetwork ?? .max) < (before.floorPerNetwork ?? .max)
            note(
                isLess ? .tightens : .widens, subject,
                now.floorPerNetwork.map { "\($0) identifiers of one network lift floors in a window" }
                    ?? "any number of identifiers of one network lifts floors",
                purpose: name)
        }
        if before.senders != now.senders {
            note(
                .runs, subject,
                now.senders == .backends
                    ? "only backends send, which show a secret; clients are refused"
                    : "clients send, too, no longer backends only",
                purpose: name)
        }
        noteSize(subject, before.retention, now.retention, purpose: name, widensBy: true) { old, new in
            "numbers are kept \(new.planText) instead of \(old.planText): "
                + (new > old ? "of what is counted from now on" : "of everything")
        }
    }

    private mutating func compareIdentifiers(_ now: Purpose, _ before: Purpose, _ subject: String) {
        if before.identifier != now.identifier {
            note(
                now.hasIdentifiers ? .widens : .tightens, subject,
                now.hasIdentifiers
                    ? "devices show an identifier, which lives \(Duration.seconds(now.rotation.seconds).planText)"
                    : "devices show no identifier any more, and nothing that they send can be taken back",
                purpose: now.name)
        } else if now.hasIdentifiers {
            noteSize(subject, before.rotation, now.rotation, purpose: now.name, widensBy: true) { old, new in
                "an identifier lives \(Duration.seconds(new.seconds).planText) instead of "
                    + Duration.seconds(old.seconds).planText
            }
        }
        if before.floor != now.floor {
            note(
                now.floor == .attested ? .tightens : .widens, subject,
                now.floor == .attested
                    ? "only devices that prove their identifier count for k; what was counted before is a series of its own"
                    : "devices count for k without proof, and whoever makes identifiers up can be a crowd",
                purpose: now.name)
        }
    }

    // MARK: Consent

    /// Notes the purposes for which people have to be asked: those who agreed to a narrower one, or were never asked.
    mutating func askAgain() {
        for purpose in new.purposes where purpose.needsConsent {
            guard let before = old.purpose(purpose.name) else {
                note(.asks, "purpose '\(purpose.name)'", "nobody has been asked yet", purpose: purpose.name)
                continue
            }
            compareVersions(purpose, before)
        }
    }

    private mutating func compareVersions(_ now: Purpose, _ before: Purpose) {
        let subject = "purpose '\(now.name)'"
        guard before.needsConsent else {
            return note(.asks, subject, "nobody has been asked yet", purpose: now.name)
        }
        let (version, former) = (now.consentVersion, before.consentVersion)
        guard version >= former else {
            let meaning =
                "consent_version is \(version) instead of \(former), and only grows: write \(former), "
                + "or \(former + 1) where people have to be asked again"
            return note(.unasked, subject, meaning, purpose: now.name)
        }
        let wider = changes.filter { $0.purpose == now.name && $0.kind == .widens }
            .map { "\($0.subject) \($0.meaning)" }.joined(separator: "; ")
        let readsOtherwise = isWorded(now, before)
        let why = wider.isEmpty && readsOtherwise ? "its explanation reads otherwise" : wider
        if version > former {
            let meaning =
                "consent_version is \(version) instead of \(former): clients ask again, and count nothing of anybody who "
                + "agreed to an earlier one until they agree" + (why.isEmpty ? "" : ": \(why)")
            note(.asks, subject, meaning, purpose: now.name)
        } else if !wider.isEmpty {
            let meaning =
                "people agreed to another one, and clients go on counting them: raise consent_version to \(former + 1), "
                + "so that they are asked again: \(why)"
            note(.unasked, subject, meaning, purpose: now.name)
        } else if readsOtherwise {
            note(.asks, subject, "people agreed to another one: \(why)", purpose: now.name)
        }
        if now.needsParent, !before.needsParent {
            note(.asks, subject, "no parent has been asked yet", purpose: now.name)
        }
    }
}
