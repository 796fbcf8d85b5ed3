public import ThrongWire

extension Throng {
    /// What the plan wants to know and for what, as a consent screen needs it; in the plan's order.
    public var purposes: [PurposeInfo] {
        plan.purposes.map { purpose in
            let published = plan.published.purposes.first { $0.name.text == purpose.name }
            return PurposeInfo(
                id: purpose.name, explanation: explanation(of: purpose), needsConsent: purpose.needsConsent,
                consent: memory.consents[purpose.name] ?? .notDetermined,
                refusedBy: purpose.refusedBy.intersection(signals),
                isAllowed: memory.allows(purpose, signals: signals), rotationSeconds: purpose.rotation.seconds,
                retentionSeconds: published?.retentionSeconds ?? 0,
                questions: plan.published.metrics.filter { $0.purpose.text == purpose.name }.map(\.question))
        }
    }

    /// What the person said about a purpose.
    public func consent(for purpose: String) -> Consent { memory.consents[purpose] ?? .notDetermined }

    /// Takes what the person says about a purpose. From `authorized` on, events are counted; otherwise what waits for
    /// the purpose is dropped at once, and so is what the device noted for it.
    ///
    /// - Returns: whether it is on disk.
    @discardableResult
    public func setConsent(_ consent: Consent, for purpose: String) -> Bool {
        drain()
        memory.consents[purpose] = consent
        isSaved = false
        return dropRefused()
    }

    /// Takes the opt-out signals that are set now, such as Global Privacy Control; purposes that the plan lets them
    /// refuse drop what waits, as when consent is withdrawn.
    public func setSignals(_ signals: Set<OptOutSignal>) {
        drain()
        self.signals = signals
        isSaved = false
        dropRefused()
    }

    /// The purpose's explanation in the person's language.
    func explanation(of purpose: DevicePlan.Purpose) -> String {
        options.localize("throng.purpose.\(purpose.name)", purpose.explanation)
    }

    /// Drops what waits for purposes that may not count now.
    @discardableResult
    func dropRefused() -> Bool {
        let allowed = Set(plan.purposes.filter { memory.allows($0, signals: signals) }.map(\.name))
        // Also those that a newer plan no longer has.
        for name in Set(plan.purposes.map(\.name)).union(memory.purposes).subtracting(allowed) {
            memory.withdraw(name, answered: plan.purpose(name)?.answered.map(\.name) ?? [])
            due[name] = nil
        }
        return persist()
    }
}
