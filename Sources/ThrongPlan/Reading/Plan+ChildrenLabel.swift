extension Plan {
    /// The promises for children; none if the app is for a general audience.
    var childrenPromises: [String] {
        switch app.directedTo {
        case .general: []
        case .children:
            [
                """
                \(app.title) is made for children: nothing is counted for marketing. No code is known again after the app \
                was closed, or lasts for longer than \(Duration.seconds(Self.rotationForChildren.seconds).planText). No word is \
                kept that this page does not list.
                """
            ]
        case .mixed:
            [
                """
                Children may use \(app.title). Until it is known that you are grown up you are taken for a child. Then only \
                the purposes below count that say so. None of them is for marketing. No code of theirs is known again after \
                the app was closed, or lasts for longer than \(Duration.seconds(Self.rotationForChildren.seconds).planText).
                """
            ]
        }
    }

    func consentText(of purpose: Purpose) -> String {
        guard purpose.needsConsent else {
            return "You are not asked first. The legal basis for that is not written here; ask \(app.contact)."
        }
        let back = "can be taken back"
        guard purpose.needsParent else {
            return "You are asked first. Your yes is the legal basis (Art. 6(1)(a) GDPR), and \(back)."
        }
        return """
            \(app.directedTo == .mixed ? "You are asked first; for a child, a parent is." : "A parent is asked first.") That yes \
            is the legal basis (Art. 6(1)(a) and 8 GDPR), and \(back).
            """
    }

    /// Returns a sentence that says if a purpose counts children; nil if that is no question.
    func childrenText(of purpose: Purpose) -> String? {
        if purpose.refusedBy.contains(.ageSignal) { return "Nobody is counted who is not known to be grown up." }
        guard app.directedTo == .mixed else { return nil }
        let least = "at least \(Threshold.forChildren.devices) \(purpose.unit.many)"
        return "Children are counted, too. Its numbers stand for \(least)."
    }
}

extension PurposeUse {
    var words: String {
        switch self {
        case .product: "making the app better"
        case .performance: "finding out what is slow or broken"
        case .security: "keeping people and the app safe"
        case .research: "learning something of general interest"
        case .marketing: "marketing"
        }
    }
}
