internal import ThrongWire

extension PlanComparison {
    /// Notes that addresses are shown to somebody else.
    mutating func compareRelays() {
        guard let before = old.app.relay, let now = new.app.relay, before != now else { return }
        note(.widens, "app", "the relay \(now.host) sees addresses, no longer \(before.host)")
    }

    /// Notes that a purpose goes another way.
    mutating func compareTransports(_ now: Purpose, _ before: Purpose, _ subject: String) {
        guard before.transport != now.transport else { return }
        let isOblivious = now.transport == .oblivious
        note(
            isOblivious ? .tightens : .widens, subject,
            isOblivious
                ? "goes through the relay, so that the daemon sees no address; what comes directly is refused from the start on"
                : "goes to the daemon directly, which sees the address", purpose: now.name)
    }
}
