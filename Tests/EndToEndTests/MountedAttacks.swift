import Foundation
import Testing

/// What attacks.py found.
enum MountedAttacks {
    /// What one attack found.
    struct Result: Decodable {
        let attack: String
        /// Against what `throng serve` released: nothing, or the attack succeeded.
        let ours: [String]
        /// Against what a naive house would have released of the same people.
        let naive: [String]
    }

    private struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// Mounts all attacks: the findings by the attack's number.
    static func results() async throws -> [String: Result] {
        let (status, words) = try await Program("attacks.py").output()
        guard status == 0 else { throw Failed(description: "attacks.py ended with \(status):\n\(words.suffix(6000))") }
        var results: [String: Result] = [:]
        for line in words.split(separator: "\n") where line.hasPrefix("RESULT ") {
            let result = try JSONDecoder().decode(Result.self, from: Data(line.dropFirst(7).utf8))
            results[result.attack] = result
        }
        return results
    }
}
