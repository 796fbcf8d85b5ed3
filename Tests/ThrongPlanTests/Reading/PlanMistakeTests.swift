import Foundation
import Testing
import ThrongWire

@testable import ThrongPlan

/// One of `Mistakes/mistakes.txt`, which says how it is written.
struct PlanMistake: Sendable, CustomTestStringConvertible {
    let name: String
    /// The lines of the plan that are replaced, and those in their place.
    var old: [String] = []
    var new: [String] = []
    /// A part of the line at which the mistake is named.
    var place = ""
    /// Words that the message has.
    var words: [String] = []

    var testDescription: String { name }

    private static let folder = SamplePlan.repository.appending(path: "Tests/ThrongPlanTests/Mistakes")

    /// The plan without a mistake.
    static func plan() throws -> String {
        try String(contentsOf: folder.appending(path: "podcast.yaml"), encoding: .utf8)
    }

    static func all() throws -> [PlanMistake] {
        let text = try String(contentsOf: folder.appending(path: "mistakes.txt"), encoding: .utf8)
        var all: [PlanMistake] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# ") {
                all.append(PlanMistake(name: String(line.dropFirst(2))))
                continue
            }
            guard let last = all.indices.last else { continue }
            switch line.first {
            case "-": all[last].old.append(String(line.dropFirst()))
            case "+": all[last].new.append(String(line.dropFirst()))
            case "@": all[last].place = line.dropFirst().trimmingCharacters(in: .whitespaces)
            case "=": all[last].words = line.dropFirst(2).components(separatedBy: "; ")
            default: break
            }
        }
        return all
    }
}

@Suite("Sixty mistakes that people make in plans are named with line and cure")
struct PlanMistakeTests {
    private static let today = CalendarDate(daysSince1970: 20_786)

    /// Everything that `throng plan check` says of a text's parts.
    private func said(_ yaml: String) -> [PlanProblem] {
        do {
            let plan = try Plan(yaml: yaml, file: "podcast.yaml", today: Self.today)
            return plan.expired(today: Self.today) + plan.lint(today: Self.today, rules: .system)
        } catch {
            return error.all
        }
    }

    @Test("there are sixty, and nothing is said of the plan in which they are made")
    func none() throws {
        #expect(try PlanMistake.all().count == 60)
        #expect(said(try PlanMistake.plan()).map(\.description) == [])
    }

    @Test("each is named", arguments: try PlanMistake.all())
    func mistake(_ mistake: PlanMistake) throws {
        let plan = try PlanMistake.plan()
        let old = mistake.old.joined(separator: "\n") + (mistake.new.isEmpty ? "\n" : "")
        try #require(plan.components(separatedBy: old).count == 2, "the plan has the lines that are replaced once")
        try #require(!mistake.words.isEmpty && !mistake.place.isEmpty)
        let yaml = plan.replacingOccurrences(of: old, with: mistake.new.joined(separator: "\n"))
        let lines = yaml.components(separatedBy: "\n")
        let said = said(yaml)
        let found = said.contains { problem in
            guard let line = problem.line, lines.indices.contains(line - 1) else { return false }
            return lines[line - 1].contains(mistake.place)
                && mistake.words.allSatisfy { problem.message.localizedCaseInsensitiveContains($0) }
        }
        #expect(found, "\(mistake.place): \(mistake.words) in \(said.map(\.description))")
    }
}
