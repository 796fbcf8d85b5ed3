internal import Foundation
package import ThrongPlan
internal import ThrongReport

/// The public keys that have signed a daemon's manifests, the present one last: `keys.json`, which partners get.
package struct ReportKeyList: Sendable, Hashable {
    package static let format = "throng-keys/1"

    package var keys: [Entry]

    package struct Entry: Sendable, Hashable {
        package let key: ReportPublicKey
        /// The first instant at which it signs; nil where the list does not say.
        package let from: UnixSeconds?
        /// The last instant at which it may have signed; nil for the present key.
        package var until: UnixSeconds?

        /// True if it signed at that instant, as far as the list says.
        package func covers(_ instant: UnixSeconds) -> Bool { (from ?? .min) <= instant && instant <= (until ?? .max) }
    }

    package init(keys: [Entry] = []) { self.keys = keys }

    package var current: Entry? { keys.last { $0.until == nil } }

    package var json: String {
        JSONText.object([
            ("format", .string(Self.format)),
            (
                "keys",
                .array(
                    keys.map { entry in
                        .object([
                            ("id", .string(entry.key.id.hex)),
                            ("from", entry.from.map { .string(Instant.text($0)) } ?? .null),
                            ("until", entry.until.map { .string(Instant.text($0)) } ?? .null),
                            ("public_key", .string(entry.key.pem)),
                        ])
                    })
            ),
        ]).written() + "\n"
    }

    /// Reads `keys.json`, or the PEM of one public key; nil for anything else.
    package init?(_ text: String) {
        if let key = ReportPublicKey(pem: text) {
            self.init(keys: [Entry(key: key, from: nil)])
            return
        }
        let file: File
        do {
            file = try JSONDecoder().decode(File.self, from: Data(text.utf8))
        } catch {
            return nil
        }
        guard file.format == Self.format, !file.keys.isEmpty else { return nil }
        var entries: [Entry] = []
        for written in file.keys {
            guard let key = ReportPublicKey(pem: written.public_key), key.id.hex == written.id,
                Instant.isReadable(written.from), Instant.isReadable(written.until)
            else { return nil }
            entries.append(
                Entry(
                    key: key, from: written.from.flatMap(Instant.time), until: written.until.flatMap(Instant.time)
                ))
        }
        self.init(keys: entries)
    }

    private struct File: Decodable {
        let format: String
        let keys: [Key]

        struct Key: Decodable {
            let id: String
            let from: String?
            let until: String?
            let public_key: String
        }
    }
}
