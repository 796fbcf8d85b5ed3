public import ThrongWire

extension Throng {
    /// What the plan wants to know and for what, as a consent screen needs it; in the plan's order. Empty until there is a
    /// plan: see ``loadPlan()``.
    public var purposes: [PurposeInfo] {
        guard let plan else { return [] }
        return plan.purposes.map { purpose in
            let published = plan.published.purposes.first { $0.name.text == purpose.name }
            let signals = permissions.signals
            return PurposeInfo(
                id: purpose.name, explanation: explanation(of: purpose),
                language: spokenExplanation(of: purpose, in: plan).language, needsConsent: purpose.needsConsent,
                needsParent: purpose.needsParent(signals),
                consent: consents.holding(for: purpose), consentVersion: purpose.consentVersion,
                refusedBy: purpose.refusedBy.intersection(signals),
                isAllowed: permissions.allows(purpose),
                rotationSeconds: purpose.hasIdentifiers ? purpose.rotation.seconds : 0,
                retentionSeconds: published?.retentionSeconds ?? 0,
                questions: plan.published.metrics.filter { $0.purpose.text == purpose.name }.map {
                    question(of: $0).text
                })
        }
    }

    /// What the person said about a purpose: ``Consent/notDetermined`` where they agreed to an earlier version of it than the
    /// plan's, and have to be asked again.
    public func consent(for purpose: String) -> Consent {
        plan?.purpose(purpose).map(consents.holding(for:)) ?? consents[purpose]
    }

    /// What may be counted now.
    var permissions: Permissions {
        Permissions(consents: consents, signals: isGrownUp ? signals : signals.union([.ageSignal]))
    }

    /// Takes what the person says about a purpose. From `authorized` on, events are counted; otherwise what waits for
    /// the purpose is dropped at once, and so is what the device noted for it; and the daemon is asked to take back what was
    /// sent in windows that are open.
    ///
    /// A refusal holds at once, and where the disk is full it is kept by removing what was agreed to: after the next start
    /// all purposes count as refused. Anything else holds once it is on disk.
    ///
    /// - Parameters:
    ///   - consent: what the person says.
    ///   - purpose: the purpose's name in the plan.
    ///   - version: which version of it the person was asked about, as ``PurposeInfo/consentVersion`` says; unless given, the
    ///     plan's at this moment, or 1 where there is no plan yet. Where the plan has a later one, the person is to be asked
    ///     again.
    /// - Throws: ``ThrongError/storage(_:)`` where what is said would be forgotten when the app ends. A refusal holds until
    ///   then; anything else does not hold at all.
    public func setConsent(
        _ consent: Consent, for purpose: String, version: Int? = nil
    ) throws(ThrongError) {
        drain()
        guard !isShut else { throw ThrongError.storage("This Throng was closed.") }
        let version = version ?? plan?.purpose(purpose)?.consentVersion ?? 1
        guard consent.isRefusal else { return try loosen(consent, for: purpose, version: version) }
        consents.take(consent, for: purpose, version: version)
        isConsentSaved = false
        for place in held.indices {
            held[place].permissions.consents.take(consent, for: purpose, version: version)
        }
        dropRefused()
        guard !isConsentSaved else { return }
        do {
            try storage.remove(ConsentDocument.name)
        } catch {
            throw .storage(
                "The refusal holds, but can't be kept: nothing can be written or removed. Ask again after a start.")
        }
    }

    /// First on disk, then in force; and what waits of a time before a refusal must not be there any more.
    private func loosen(_ consent: Consent, for purpose: String, version: Int) throws(ThrongError) {
        var wanted = consents
        wanted.take(consent, for: purpose, version: version)
        guard wanted != consents || !isConsentSaved else { return }
        do {
            guard persist() else { throw ThrongError.storage("") }
            try ConsentDocument.write(wanted, to: storage, for: source.address)
        } catch {
            withdraw(wanted)
            throw .storage("What the person said could not be written, so it does not hold; the disk may be full.")
        }
        consents = wanted
        isConsentSaved = true
        dropRefused()
    }

    /// Makes sure that what does not hold is not on disk, where writing it failed late.
    private func withdraw(_ wanted: Consents) {
        guard ConsentDocument.read(from: storage, for: source.address)?.consents == wanted else { return }
        isConsentSaved = false
        keepConsents()
        guard !isConsentSaved else { return }
        do {
            try storage.remove(ConsentDocument.name)
        } catch {
            // It is tried again with the next event.
            return
        }
    }

    /// Writes down what the person said, where that did not work so far.
    func keepConsents() {
        guard !isConsentSaved else { return }
        do {
            try ConsentDocument.write(consents, to: storage, for: source.address)
            isConsentSaved = true
        } catch {
            // The status says so; it is tried again with the next event, and until then its document is missing.
            isConsentSaved = false
        }
    }

    /// Takes the opt-out signals that are set now, such as Global Privacy Control; purposes that the plan lets them
    /// refuse drop what waits, and the daemon is asked to take back what was sent, as when consent is withdrawn.
    public func setSignals(_ signals: Set<OptOutSignal>) {
        drain()
        for place in held.indices { held[place].permissions.signals.formUnion(signals) }
        self.signals = signals
        isSaved = false
        dropRefused()
    }

    /// Takes whether the person is known to be grown up, which is true of nobody at the start.
    ///
    /// Until then purposes that the plan keeps from children (`refused_by: [age_signal]`) count nothing, and for some a parent
    /// has to agree: see ``PurposeInfo/needsParent``. What waits for such is dropped when it is not true any more, and what was sent in
    /// windows that are open is taken back. It is not kept: an app says it at each start, by ``ThrongOptions/isGrownUp`` where it knows it by then, as its own age screen, its
    /// accounts or the system's age signal say.
    public func setGrownUp(_ isGrownUp: Bool) {
        drain()
        if !isGrownUp {
            for place in held.indices { held[place].permissions.signals.insert(.ageSignal) }
        }
        self.isGrownUp = isGrownUp
        isChild = !isGrownUp
        isSaved = false
        dropRefused()
    }

    /// The purpose's explanation in the person's language.
    func explanation(of purpose: DevicePlan.Purpose) -> String {
        let words = plan.map { spokenExplanation(of: purpose, in: $0).text } ?? purpose.explanation
        return options.localize("throng.purpose.\(purpose.name)", words)
    }

    func spokenExplanation(of purpose: DevicePlan.Purpose, in plan: DevicePlan) -> SpokenText {
        plan.published.spoken("purposes.\(purpose.name).explanation", purpose.explanation, for: languages)
    }

    /// What a metric asks, in the person's language.
    func question(of metric: PublicPlan.Metric) -> SpokenText {
        plan?.published.spoken("metrics.\(metric.name).question", metric.question, for: languages)
            ?? SpokenText(metric.question)
    }

    /// What the person reads, best first.
    var languages: [LanguageTag] {
        // Systems that name files by them write de_AT.UTF-8.
        options.languages.compactMap { name in
            LanguageTag(name.replacing("_", with: "-").prefix { $0 != "." && $0 != "@" })
        }
    }

    /// Drops what waits for purposes that may not count now.
    @discardableResult
    func dropRefused() -> Bool {
        guard let plan else { return persist() }
        takeBackRefused(in: plan)
        let permissions = permissions
        let allowed = Set(plan.purposes.filter(permissions.allows).map(\.name))
        // Also those that a newer plan no longer has, once it is known to be newer.
        let known = Set(plan.purposes.map(\.name)).union(isUnconfirmed ? [] : memory.purposes)
        for name in known.subtracting(allowed) {
            // As at a start that does not know the person's age: whoever withdraws afterwards withdraws it, too.
            if let purpose = plan.purpose(name) { memory.useOutstanding(of: purpose) }
            memory.withdraw(name, answered: plan.purpose(name)?.answered.map(\.name) ?? [])
            due[name] = nil
        }
        isSaved = false
        return persist()
    }
}
