import ThrongPlan
import ThrongStore

struct SettingLine: Encodable {
    let key: String
    let variable: String
    let option: String?
    /// Nil where nobody says anything, and for what can't be shown.
    let value: String?
    let `default`: String
    let unit: String?
    /// `option`, `environment`, `file` or `default`.
    let origin: String
    /// The option's or variable's name, or the file and its line.
    let place: String?
    /// True if a change takes a restart, and no reload.
    let restart: Bool
    let heading: String
    let meaning: String

    init(_ setting: Setting, _ settings: Settings) {
        let found = settings.value(of: setting)
        key = setting.key
        variable = setting.variable
        option = setting.option
        `default` = setting.standard
        unit = setting.unit
        restart = !setting.isReloaded
        heading = setting.heading
        meaning = setting.meaning
        if case .connection = setting.kind {
            value = found.map {
                ConnectionSettings.shown($0.text)
                    ?? "not shown: no URL and no keywords, or a password that is not percent-encoded"
            }
        } else {
            value = found.map { AddressText.shown($0.text) }
        }
        switch found?.origin {
        case .option(let name): (origin, place) = ("option", name)
        case .environment(let name): (origin, place) = ("environment", name)
        case .file(let path, let line, _): (origin, place) = ("file", "\(path):\(line)")
        case nil: (origin, place) = ("default", nil)
        }
    }

    /// The value, or the default, with its unit; bytes also as people read them.
    var shown: String {
        let text = value ?? `default`
        guard let unit else { return text }
        guard unit == "bytes", let bytes = Int(text), bytes >= 1 << 10 else {
            return text == "1" && unit == "seconds" ? "1 second" : "\(text) \(unit)"
        }
        let (size, name) =
            [(1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")]
            .first { bytes % $0.0 == 0 } ?? (1, "")
        return size == 1 ? "\(text) bytes" : "\(text) bytes (\(bytes / size) \(name))"
    }
}

struct SettingTable {
    let text: [String]

    /// - Parameter isStyled: whether what is not the default is written boldly, and the rest faintly.
    init(_ lines: [SettingLine], isStyled: Bool) {
        // A few long values need not push all origins out of sight.
        let values = min(47, lines.map(\.shown.count).max() ?? 0)
        let keys = (lines.map(\.key.count).max() ?? 0) + 1
        var text: [String] = []
        var heading = ""
        for line in lines {
            if line.heading != heading {
                if !heading.isEmpty { text.append("") }
                heading = line.heading
                text.append(isStyled ? "\u{1B}[1m\(heading)\u{1B}[0m" : heading)
            }
            let isDefault = line.origin == "default"
            let key = Self.padded(line.key + (line.restart ? "" : "*"), keys)
            let row = "  \(key)  \(Self.padded(line.shown, values))  \(line.place ?? "default")"
            text.append(isStyled ? "\u{1B}[\(isDefault ? 2 : 1)m\(row)\u{1B}[0m" : row)
            text.append("      \(line.meaning)")
        }
        self.text =
            text + [
                "", "* read anew by SIGHUP; everything else takes a restart",
                "The variable of intake.idle-seconds is THRONG_INTAKE_IDLE_SECONDS, and so with all.",
            ]
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
