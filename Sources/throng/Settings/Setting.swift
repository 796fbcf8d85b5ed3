import ArgumentParser

/// Something of `throng serve` that can be set: by an option where it has one, by a variable of the environment, in a
/// file.
struct Setting: Sendable {
    enum Kind: Sendable {
        case number(unit: String, lowest: Int, highest: Int)
        /// A text without line breaks.
        case text
        case path
        /// Paths; in the environment with a colon between them.
        case paths
        /// Words; in a file a list, too.
        case words
        case choice([String])
        /// A connection string, which may hold a password.
        case connection
    }

    /// Its name in a file, dots for the levels: `intake.idle-seconds`.
    let key: String
    /// The option of the command line; nil where there is none.
    var option: String?
    let kind: Kind
    /// The default, in words for people.
    let standard: String
    let meaning: String
    /// True if SIGHUP reads it anew.
    var isReloaded = false

    /// `THRONG_INTAKE_IDLE_SECONDS` for `intake.idle-seconds`.
    var variable: String { "THRONG_" + key.uppercased().replacing(".", with: "_").replacing("-", with: "_") }

    /// Nil where it is no number.
    var unit: String? { if case .number(let unit, _, _) = kind { unit } else { nil } }

    var heading: String {
        switch key.split(separator: ".").first.map({ String($0) }) {
        case "intake": "What clients may send"
        case "journal", "flush": "Journal and flush"
        case "attesters", "report", "deliver": "Releases, reports, deliveries"
        case "traces": "Traces"
        default: "The process"
        }
    }

    /// The help of its option.
    func help(_ value: String) -> ArgumentHelp {
        let sentence = meaning.prefix(1).uppercased() + meaning.dropFirst()
        return ArgumentHelp("\(sentence) (default: \(standard)).", valueName: value)
    }

    /// Every one, in the order in which people read them.
    static let all: [Setting] = [
        process, numbers("stop."), numbers("intake."), intake, numbers("journal."), numbers("flush."), releases,
        [traces],
    ].flatMap { $0 }

    private static func numbers(_ prefix: String) -> [Setting] {
        DaemonSettings.numbers.map(\.setting).filter { $0.key.hasPrefix(prefix) }
    }

    static func named(_ key: String) -> Setting? { byKey[key] }

    private static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })
}

/// The value of a setting, and who said so.
struct SettingValue: Sendable, Hashable {
    enum Origin: Sendable, Hashable {
        case option(String)
        case environment(String)
        case file(path: String, line: Int, key: String)
    }

    /// One, or those of a list.
    let texts: [String]
    let origin: Origin

    var text: String { texts.joined(separator: " ") }

    /// The place of the value, for messages: `--listen`, `THRONG_LISTEN`, `/etc/throng/throng.yaml:3: listen`.
    var place: String {
        switch origin {
        case .option(let name), .environment(let name): name
        case .file(let path, let line, let key): "\(path):\(line): \(key)"
        }
    }
}
