import Foundation
import ThrongClient

/// A notes app on the command line, and all that it takes to count its use.
///
/// Usage: Notes PLAN_URL DIRECTORY COMMAND…, such as
/// `Notes http://127.0.0.1:8080/v1/plan/notes ./notes-data create buy milk`
@main
struct Notes {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 3, let plan = URL(string: arguments[0]) else {
            print(
                "usage: Notes PLAN_URL DIRECTORY purposes|question|agree|refuse|create TEXT…|preview TEXT…|find|sent|"
                    + "inspect|reset")
            exit(2)
        }
        let directory = URL(fileURLWithPath: arguments[1], isDirectory: true)
        var options = ThrongOptions(context: ["os": system])
        // A command ends at once, so it sends by itself nothing.
        options.sendsByItself = false
        let throng: Throng
        do {
            // Two commands may run at once.
            let storage = try DirectoryStorage(directory, isShared: true)
            throng = try await Throng(plan: plan, storage: storage, options: options)
            if ["purposes", "preview", "question"].contains(arguments[2]) { try await throng.loadPlan() }
        } catch {
            print("Nothing is counted: \(error)")
            exit(1)
        }
        let words = arguments.dropFirst(3)
        switch arguments[2] {
        case "purposes":
            for purpose in await throng.purposes {
                print("\(purpose.id): \(purpose.explanation) (\(purpose.consent.rawValue))")
                for question in purpose.questions { print("  - \(question)") }
            }
        case "question": print(try json(await throng.consentQuestion(for: "product")))
        case "inspect": print(try json(await throng.inspection))
        case "agree": try await throng.setConsent(.authorized, for: "product")
        case "refuse": try await throng.setConsent(.denied, for: "product")
        case "create": throng.record("note_created", ["words": words.count])
        case "find": throng.record("note_found")
        case "preview":
            for tuple in await throng.preview("note_created", ["words": words.count]).counted {
                let buckets = tuple.buckets.sorted { $0.key < $1.key }.map { "\($0): \($1)" }.joined(separator: ", ")
                print("\(tuple.metric), \(tuple.period): \(buckets)")
            }
        case "sent":
            for batch in await throng.sent { print("\(batch.explanation)\n\(batch.body)\n\(batch.outcome)\n") }
        case "reset": await throng.reset()
        default:
            print("unknown command")
            exit(2)
        }
        let result = await throng.flush()
        print("counted \(result.counted), refused \(result.refused), waiting \(result.waiting)")
        if let problem = result.problem { print("not everything was sent: \(problem)") }
        let dropped = await throng.status.dropped.map { "\($0.key.rawValue) \($0.value)" }.sorted()
        if !dropped.isEmpty { print("not counted: \(dropped.joined(separator: ", "))") }
        await throng.close()
    }

    /// As a screen would get it.
    private static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private static var system: EventValue {
        #if os(Linux)
            "Linux"
        #elseif os(macOS)
            "macOS"
        #elseif os(Android)
            "Android"
        #else
            "iOS"
        #endif
    }
}
