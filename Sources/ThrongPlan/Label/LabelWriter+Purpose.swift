internal import ThrongWire

extension LabelWriter {
    /// Returns what the public is told of a purpose as a whole, by topic.
    func facts(of purpose: Purpose) -> [PrivacyLabel.Fact] {
        // No software says by itself how old somebody is.
        let names: [OptOutSignal: String] = [
            .globalPrivacyControl: "Global Privacy Control", .doNotTrack: "Do Not Track",
            .limitAdTracking: "Limit Ad Tracking",
        ]
        let signals = OptOutSignal.allCases.filter(purpose.refusedBy.contains).compactMap { names[$0] }
        let texts: [(PrivacyLabel.Topic, String?)] = [
            (.consent, consent(for: purpose)),
            (.usedFor, purpose.use.map { language.say(.finding, ["finding": $0.words(in: language)]) }),
            (
                .signals,
                signals.isEmpty ? nil : language.say(.labelSignals, ["signals": language.list(signals, isChoice: true)])
            ), (.children, children(in: purpose)), (.code, code(of: purpose)), (.proof, proof(of: purpose)),
            (.way, way(of: purpose)), (.takenBack, purpose.hasIdentifiers ? withdrawal(from: purpose) : nil),
            (.kept, kept(of: purpose)),
        ]
        return texts.compactMap { topic, text in text.map { fact(topic, $0) } }
    }

    /// The promises for children; none if the app is for a general audience.
    var childrenPromises: [String] {
        guard plan.app.directedTo != .general else { return [] }
        let time = language.duration(seconds: Plan.rotationForChildren.seconds)
        return [
            language.say(
                plan.app.directedTo == .children ? .labelForChildren : .labelMixed,
                ["app": plan.app.title, "time": time])
        ]
    }

    private func consent(for purpose: Purpose) -> String {
        let isMixed = plan.app.directedTo == .mixed
        let unasked = purpose.legalBasis?.rawValue ?? "none"
        let word = !purpose.needsConsent ? unasked : !purpose.needsParent ? "self" : isMixed ? "mixed" : "parent"
        return language.say(.labelConsent, ["case": word, "contact": plan.app.contact])
    }

    /// Returns a sentence that says if a purpose counts children; nil if that is no question.
    private func children(in purpose: Purpose) -> String? {
        if purpose.refusedBy.contains(.ageSignal) { return language.say(.labelGrownUps) }
        guard plan.app.directedTo == .mixed else { return nil }
        return language.say(.labelChildren, ["threshold": written(.forChildren), "units": purpose.unit.rawValue])
    }

    private func code(of purpose: Purpose) -> String {
        let isServed = purpose.senders == .backends
        guard purpose.hasIdentifiers else { return language.say(.labelCodeless, ["isServed": isServed]) }
        let (unit, count) = language.unit(seconds: purpose.rotation.seconds)
        return language.say(
            .labelCode,
            [
                "isServed": isServed, "unit": unit.rawValue, "count": count, "isDevice": purpose.unit == .device,
                "hasTabs": !isServed && !purpose.needsProof,
                "time": language.duration(seconds: purpose.rotation.seconds * 2),
            ])
    }

    private func proof(of purpose: Purpose) -> String {
        language.say(
            .labelProof,
            [
                "isServed": purpose.senders == .backends, "app": plan.app.title,
                "case": purpose.needsProof ? "proved" : purpose.hasIdentifiers ? "codes" : "none",
                "hasMost": purpose.floorPerNetwork != nil,
                "most": purpose.floorPerNetwork.map { language.written("\($0)") } ?? "",
            ])
    }

    /// Returns a text for clients' users on the way that a purpose's events take; nil if devices send none.
    private func way(of purpose: Purpose) -> String? {
        guard purpose.transport == .oblivious, let relay = plan.app.relay else {
            return purpose.senders == .backends ? nil : language.say(.labelDirect)
        }
        return language.say(.labelRelayed, ["host": relay.host])
    }

    /// Returns what somebody can expect who says no later; the daemon's `POST /v1/withdraw` does it.
    private func withdrawal(from purpose: Purpose) -> String {
        language.say(
            .labelWithdrawal,
            [
                "isServed": purpose.senders == .backends,
                "hasProofs": plan.metrics.contains { $0.purpose == purpose.name && $0.provesFirsts },
            ])
    }

    private func kept(of purpose: Purpose) -> String {
        let isGiven = recipients(of: plan.metrics.filter { $0.purpose == purpose.name }).count > 1
        let time = language.duration(seconds: purpose.retention.components.seconds)
        return language.joined([
            language.say(.labelKept, ["time": time, "isGiven": isGiven]), language.say(.labelCountsKept),
        ])
    }
}

extension PurposeUse {
    /// "making the app better".
    func words(in language: Language) -> String { language.say(.labelUse, ["use": rawValue]) }
}

extension Rotation {
    /// The length as in "every day": "day" rather than "1 day".
    package var spoken: String { Duration.seconds(seconds).planText.replacing(/^1\s/, with: "") }
}
