#if canImport(SwiftUI)
    import SwiftUI
    import ThrongClient

    /// Asks about each purpose that needs it, and leads to what was sent: a sample to copy into an app.
    ///
    /// ```swift
    /// ConsentView(throng: throng)
    /// ```
    struct ConsentView: View {
        let throng: Throng
        @State private var questions: [ConsentQuestion] = []
        @State private var problem: String?

        var body: some View {
            NavigationStack {
                List {
                    ForEach(questions) { question in
                        Section { QuestionRows(question: question) { answer(question, with: $0) } }
                    }
                    if let problem { Text(problem).foregroundStyle(.red) }
                    NavigationLink("What was sent") { InspectionView(throng: throng) }
                }
                .navigationTitle("What is counted")
            }
            .task { await look() }
        }

        private func look() async {
            do {
                try await throng.loadPlan()
                var all: [ConsentQuestion] = []
                for purpose in await throng.purposes {
                    if let question = await throng.consentQuestion(for: purpose.id) { all.append(question) }
                }
                questions = all
            } catch {
                problem = "\(error)"
            }
        }

        private func answer(_ question: ConsentQuestion, with consent: Consent) {
            Task {
                do {
                    try await throng.answer(question, with: consent)
                    await look()
                } catch {
                    problem = "\(error)"
                }
            }
        }
    }

    /// One question: what for, what is counted and how coarsely, and the answers, none of which is louder than another.
    private struct QuestionRows: View {
        let question: ConsentQuestion
        let answer: (Consent) -> Void

        var body: some View {
            Text(question.title.text).font(.headline)
            Text(question.explanation.spoken)
            DisclosureGroup("What is counted, and how coarsely") {
                ForEach(question.counted, id: \.metric) { counted in
                    VStack(alignment: .leading) {
                        Text(counted.title.spoken).bold()
                        Text(counted.question.spoken)
                        ForEach(counted.parts, id: \.title.text) { part in
                            Text("\(part.title.text): \(part.buckets.joined(separator: ", "))").font(.footnote)
                        }
                    }
                }
                Text(
                    question.identifierSeconds > 0
                        ? "Another random identifier every \(duration(question.identifierSeconds))." : "No identifier is sent.")
                Text("Numbers are kept for \(duration(question.retentionSeconds)).")
                Text("Each stands for \(question.threshold) devices or more.")
                ForEach(question.recipients, id: \.title) { Text("\($0.title) receives numbers.") }
            }
            ForEach(question.choices, id: \.consent) { choice in
                Button {
                    answer(choice.consent)
                } label: {
                    Label(choice.words.text, systemImage: choice.consent == question.consent ? "checkmark" : "circle")
                }
            }
        }

        private func duration(_ seconds: Int64) -> String {
            Duration.seconds(seconds).formatted(.units(allowed: [.days, .hours, .minutes], width: .wide))
        }
    }

    /// What left the device and what waits.
    private struct InspectionView: View {
        let throng: Throng
        @State private var inspection: Inspection?

        var body: some View {
            List {
                if let inspection {
                    Section("Waits") { ForEach(inspection.waiting, id: \.self) { EventRow(event: $0) } }
                    ForEach(inspection.sent) { sent in
                        Section(sent.explanation) {
                            ForEach(sent.events, id: \.self) { EventRow(event: $0) }
                            DisclosureGroup("Byte for byte") {
                                Text(sent.body).font(.caption.monospaced()).textSelection(.enabled)
                            }
                        }
                    }
                }
            }
            .navigationTitle("What was sent")
            .task { inspection = await throng.inspection }
        }
    }

    /// One kind of event, and what it was counted as.
    private struct EventRow: View {
        let event: Inspection.Event

        var body: some View {
            VStack(alignment: .leading) {
                Text("\(event.event), \(event.count) times")
                ForEach(event.counted, id: \.metric) { counted in
                    let buckets = counted.buckets.map { "\($0.title.text): \($0.label)" }.joined(separator: ", ")
                    Text("\(counted.title.text), \(counted.period). \(buckets)").font(.footnote)
                }
                if let refused = event.refused { Text("Not counted: \(refused)").font(.footnote) }
            }
            .accessibilityElement(children: .combine)
        }
    }

    extension SpokenText {
        /// The text in its language, so that VoiceOver speaks it properly.
        fileprivate var spoken: AttributedString {
            var text = AttributedString(text)
            text.languageIdentifier = language
            return text
        }
    }
#endif
