extension PlanComparison {
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
