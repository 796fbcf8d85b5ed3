import ArgumentParser
import Foundation
import ThrongPlan
import ThrongSystem

/// The questions of `throng plan new`, asked on the terminal one after the other.
struct PlanQuestions {
    func client() throws -> DraftClient {
        try ask("What will send events? web (pages), app (or a backend), both", usual: "web", option: "--for web") {
            DraftClient(rawValue: $0)
        }
    }

    func topics(_ client: DraftClient) throws -> [PlanTopic] {
        let known = PlanTopic.allCases.filter { $0.isFor(client) }
        Terminal.talk("What do you want to learn?")
        for (number, topic) in known.enumerated() { Terminal.talk("  \(number + 1)  \(topic.question.english)") }
        return try ask("Up to three numbers, the most important first", usual: "1 2", option: "--learn \(known[0])") {
            answer in
            let words = answer.split { $0 == " " || $0 == "," }
            let topics = words.compactMap { word in
                PlanTopic(rawValue: String(word))
                    ?? Int(word).flatMap { known.indices.contains($0 - 1) ? known[$0 - 1] : nil }
            }
            let isFine =
                topics.count == words.count && Set(topics).count == topics.count && Set(topics).isSubset(of: known)
            return isFine && (1...PlanDraft.mostTopics).contains(topics.count) ? topics : nil
        }
    }

    func title() throws -> String {
        try ask("What is it called?", usual: "My app", option: "--title TITLE") { answer in
            answer.count > 120 ? nil : answer
        }
    }

    func audience() throws -> Int {
        let least = PlanDraft.smallestAudience
        return try ask("How many devices a day, roughly? \(least) or more", usual: "3000", option: "--audience 3000") {
            Int($0.filter { $0 != "," }).flatMap { $0 >= least && $0 <= 10_000_000_000 ? $0 : nil }
        }
    }

    func partner() throws -> String? {
        let answer: String = try ask(
            "Who gets a report each day? A name, or nobody", usual: "nobody", option: "--no-partner"
        ) { $0.count > 120 ? nil : $0 }
        return answer.lowercased() == "nobody" ? nil : answer
    }

    func languages() throws -> [DraftLanguage] {
        try ask("In which languages are its texts? en, de, fr", usual: "en", option: "--languages en") {
            LanguageList(argument: $0.split { $0 == " " || $0 == "," }.joined(separator: ","))?.languages
        }
    }

    /// Asks until an answer will do; an empty one is the usual one.
    private func ask<Answer>(
        _ question: String, usual: String, option: String, read: (String) -> Answer?
    ) throws -> Answer {
        guard isatty(STDIN_FILENO) == 1 else {
            throw ValidationError("Nobody can be asked, as standard input is no terminal: name \(option) as well.")
        }
        while true {
            Terminal.talk("\(question) [\(usual)]: ", newline: false)
            guard let line = readLine() else { throw CommandFailure("The questions ended; nothing is written.") }
            let words = line.trimmingCharacters(in: .whitespaces)
            if let answer = read(words.isEmpty ? usual : words) { return answer }
            Terminal.talk("That is none of the answers.")
        }
    }
}
