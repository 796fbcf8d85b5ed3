import Testing

@testable import ThrongPlan

@Suite("Promise 7: an impact assessment says of a plan what is true of it, and what is left to decide")
struct ImpactAssessmentTests {
    private func risks(_ plan: Plan) -> [PrivacyRisk.Kind: PrivacyRisk] {
        Dictionary(uniqueKeysWithValues: ImpactAssessment(of: plan).risks.map { ($0.kind, $0) })
    }

    @Test("all that the plan counts, all measures and all open points are in it", arguments: LabelledPlan.allCases)
    func complete(shape: LabelledPlan) throws {
        let plan = try shape.plan()
        let (record, page) = (ProcessingRecord(of: plan), ImpactAssessment(of: plan).markdown)
        var said = record.measures.map(\.text) + record.open.map(\.text) + record.purposes.map(\.basisText)
        said += plan.metrics.flatMap { [$0.title, $0.question, $0.decision, $0.owner] }
        said += plan.partners.flatMap { [$0.title, $0.contact] } + [record.people.text, plan.version.hex]
        for text in said {
            let escaped: MarkdownText = "\(text)"
            #expect(page.contains(escaped.source), "it lacks \(text)")
        }
        for (place, letter) in zip([2, 3, 4, 5], "abcd") {
            #expect(page.contains("\n## \(place). ") && page.contains("(Art. 35(7)(\(letter)))"), "part \(place)")
        }
    }

    @Test("each likelihood, and what is said of it, follows from the plan", arguments: LabelledPlan.allCases)
    func likelihoods(shape: LabelledPlan) throws {
        let plan = try shape.plan()
        let risks = risks(plan)
        let (rotating, absent) = (
            plan.purposes.filter { $0.identifier == .rotating }, plan.purposes.filter { $0.identifier == .absent }
        )
        #expect(risks[.singlingOut]?.after == (absent.isEmpty ? .remote : .possible))
        #expect(risks[.singlingOut]?.reason.contains("counts actions") == !absent.isEmpty)
        let isLong = rotating.contains { $0.rotation.seconds > 3600 }
        #expect(risks[.linkability]?.after == (isLong ? .possible : .remote))
        #expect(risks[.linkability]?.reason.contains("No identifier is sent") == rotating.isEmpty)
        let isRelayed = plan.purposes.contains { $0.transport == .oblivious }
        #expect(risks[.linkability]?.reason.contains("The relay sees addresses") == isRelayed)
        let isOpen = plan.purposes.contains { $0.floor == .any && $0.senders == .anybody }
        #expect(risks[.forgedCrowds]?.after == (isOpen ? .possible : .remote))
        #expect(risks[.forgedCrowds]?.reason.contains("Nothing proves senders") == isOpen)
        let isSeen = rotating.contains { $0.transport == .direct && $0.senders == .anybody }
        #expect(risks[.operators]?.after == (isSeen ? .possible : .remote))
        #expect(risks[.operators]?.reason.contains("an address and an identifier for") == isSeen)
        #expect((risks[.partners] == nil) == plan.partners.isEmpty)
        let isOpenToAll = risks[.partners]?.reason.contains("Everybody may read") ?? false
        #expect(isOpenToAll == (shape == .open) && isOpenToAll == (risks[.partners]?.after == .possible))
        #expect((risks[.learnedValues] == nil) == (shape != .revealed))
        let severity: PrivacyRisk.Severity = shape == .children || shape == .mixed ? .severe : .significant
        for (kind, risk) in risks where kind != .operators { #expect(risk.severity == severity, "\(kind)") }
        #expect(
            risks[.operators]?.severity == (shape == .children ? .severe : .significant),
            "no child is seen beside an address")
        #expect(severity == .severe || !risks.values.contains { $0.overall(.after) == "high" })
    }

    @Test(
        "no measure is named that the plan does not call for, and each risk is lowered by one",
        arguments: LabelledPlan.allCases)
    func measures(shape: LabelledPlan) throws {
        let plan = try shape.plan()
        let taken = Set(ProcessingRecord(of: plan).measures.map(\.kind))
        for risk in ImpactAssessment(of: plan).risks {
            #expect(!risk.measures.isDisjoint(with: taken), "\(risk.kind)")
        }
    }

    @Test("the overall risk is that of the ICO's table")
    func table() {
        func overall(_ severity: PrivacyRisk.Severity, _ likelihood: PrivacyRisk.Likelihood) -> String {
            PrivacyRisk(
                kind: .inference, source: "", severity: severity, before: .remote, after: likelihood, measures: [],
                reason: ""
            ).overall(.after)
        }
        #expect([.remote, .possible, .probable].map { overall(.significant, $0) } == ["low", "medium", "high"])
        #expect([.remote, .possible, .probable].map { overall(.severe, $0) } == ["low", "high", "high"])
    }

    @Test("it asks whether a metric is needed that no report shows, and an identifier that counts no devices")
    func questions() throws {
        let partners = ImpactAssessment(of: try LabelledPlan.partners.plan()).markdown
        #expect(partners.contains("which no report shows, are needed: The taps."))
        #expect(partners.contains("which count no devices, need identifiers: product, shop."))
        let reach = ImpactAssessment(of: try LabelledPlan.budget.plan()).markdown
        #expect(!reach.contains("need identifiers"))
    }
}
