internal import Foundation
package import ThrongWire
internal import Yams

/// An operator's file that says who vouches for devices: a mapping of apps.
///
///     shop:
///       credentials: 2
///       attesters:
///         http: {url: "https://login.shop.example/attest", authorization: shop-login, seconds: 10}
///         command: {program: [/usr/local/bin/vouch, --strict], seconds: 10}
///         app-attest: {apps: [ABCDE12345.com.example.shop], environment: production}
///         device-check: {team: ABCDE12345, key: KEY1234567, secret: AuthKey_KEY1234567.p8}
///         android-key: {packages: [com.example.shop], signers: [SHA-256 in hexadecimal], roots: google.pem}
///
/// It is no part of the plan, because it names the operator's own machines and secrets; who may vouch is public all the
/// same, by `GET /v1/credentials/{app}`.
package struct CredentialSettings: Sendable {
    package let rules: [AppName: CredentialRules]

    package static let none = CredentialSettings(rules: [:])

    private init(rules: [AppName: CredentialRules]) { self.rules = rules }

    /// A rule for another app than a plan's is a slip. Files of headers Authorization are in the folder `secrets`.
    package init(path: String, apps: [AppName], secrets: String) throws(CredentialSettingsError) {
        guard let bytes = FileManager.default.contents(atPath: path), bytes.count <= 1 << 20,
            let text = String(validating: bytes, as: UTF8.self)
        else { throw .unreadable(path: path) }
        try self.init(text, path: path, apps: apps, secrets: secrets)
    }

    package init(_ text: String, path: String, apps: [AppName], secrets: String) throws(CredentialSettingsError) {
        let root: Node?
        do { root = try Yams.compose(yaml: text) } catch { throw .notYAML(path: path) }
        guard let root else { throw .notYAML(path: path) }
        var rules: [AppName: CredentialRules] = [:]
        for (name, part) in try SettingsPart(root, path: path, name: "the file").members() {
            guard let app = apps.first(where: { $0.text == name }) else {
                throw part.problem(
                    "no plan is for this app; allowed: \(apps.map(\.text).sorted().joined(separator: ", "))")
            }
            rules[app] = try Self.rules(part, secrets: secrets)
        }
        self.rules = rules
    }

    private static let kinds = ["http", "command", "app-attest", "device-check", "android-key"]

    private static func rules(
        _ part: SettingsPart, secrets: String
    ) throws(CredentialSettingsError) -> CredentialRules {
        let body = try part.members(of: ["credentials", "attesters"])
        let most = try body["credentials"]?.number(1...100) ?? CredentialRules.standardMost
        guard let list = body["attesters"] else { throw part.problem("attesters is missing; say who vouches") }
        var attesters: [any Attester] = []
        for (kind, part) in try list.members(of: kinds).sorted(by: { $0.key < $1.key }) {
            switch kind {
            case "http": attesters.append(try http(part, secrets: secrets))
            case "app-attest": attesters.append(try appAttest(part))
            case "device-check": attesters.append(try deviceCheck(part, most: most, secrets: secrets))
            case "android-key": attesters.append(try androidKey(part))
            default: attesters.append(try command(part))
            }
        }
        guard !attesters.isEmpty else {
            throw list.problem("nobody is named; name one of \(kinds.joined(separator: ", "))")
        }
        return CredentialRules(most: most, attesters: attesters)
    }

    private static func http(_ part: SettingsPart, secrets: String) throws(CredentialSettingsError) -> HTTPAttester {
        let body = try part.members(of: ["url", "authorization", "ca", "seconds"])
        guard let place = body["url"] else { throw part.problem("url is missing") }
        let url = try place.text()
        let host = URL(string: url)?.host() ?? ""
        let isHere = ["127.0.0.1", "localhost", "::1"].contains(host)
        guard !host.isEmpty, url.hasPrefix("https://") || url.hasPrefix("http://") && isHere else {
            throw place.problem("url takes https, or http of this machine such as http://127.0.0.1:9000/attest")
        }
        let secret = try body["authorization"].map { name throws(CredentialSettingsError) in try name.file(in: secrets)
        }
        return HTTPAttester(
            url: url, authorization: secret, authorities: try body["ca"]?.text(),
            seconds: try body["seconds"]?.number(1...60) ?? 10)
    }

    private static func command(_ part: SettingsPart) throws(CredentialSettingsError) -> CommandAttester {
        let body = try part.members(of: ["program", "seconds"])
        guard let place = body["program"] else { throw part.problem("program is missing") }
        let words = try place.texts()
        guard let first = words.first, first.hasPrefix("/") else {
            throw place.problem("program takes a list: an absolute path, and arguments")
        }
        return CommandAttester(command: words, seconds: try body["seconds"]?.number(1...60) ?? 10)
    }

    // Attesters that are platforms'.

    static func appAttest(_ part: SettingsPart) throws(CredentialSettingsError) -> AppAttestAttester {
        let body = try part.members(of: ["apps", "environment", "roots"])
        guard let place = body["apps"] else { throw part.problem("apps is missing") }
        let apps = try place.texts()
        guard apps.allSatisfy({ $0.wholeMatch(of: /[A-Z0-9]{10}\.[A-Za-z0-9.-]+/) != nil }) else {
            throw place.problem("apps takes a list of identifiers, such as ABCDE12345.com.example.shop")
        }
        let isDevelopment = try isDevelopment(body, of: part)
        let roots = try body["roots"].map { part throws(CredentialSettingsError) in try contents(part) }
        guard let attester = AppAttestAttester(apps: apps, isDevelopment: isDevelopment, roots: roots) else {
            throw part.problem("roots takes a file of certificates in PEM")
        }
        return attester
    }

    static func deviceCheck(
        _ part: SettingsPart, most: Int, secrets: String
    ) throws(CredentialSettingsError) -> DeviceCheckAttester {
        let body = try part.members(of: ["team", "key", "secret", "environment", "seconds"])
        guard let team = body["team"], let key = body["key"], let secret = body["secret"] else {
            throw part.problem("team, key and secret are needed")
        }
        for place in [team, key] where try place.text().wholeMatch(of: /[A-Z0-9]{10}/) == nil {
            throw place.problem("team and key take identifiers of ten letters and digits, as Apple gives them")
        }
        guard most <= DeviceCheckAttester.mostCounted else {
            throw part.problem(
                "Apple's two bits count to \(DeviceCheckAttester.mostCounted); lower 'credentials', or take app-attest")
        }
        return DeviceCheckAttester(
            address: DeviceCheckAttester.address(isDevelopment: try isDevelopment(body, of: part)),
            team: try team.text(), key: try key.text(), secret: try secret.file(in: secrets), most: most,
            seconds: try body["seconds"]?.number(1...60) ?? 10)
    }

    private static func isDevelopment(
        _ body: [String: SettingsPart], of part: SettingsPart
    ) throws(CredentialSettingsError) -> Bool {
        let environment = try body["environment"]?.text() ?? "production"
        guard let isDevelopment = ["production": false, "development": true][environment] else {
            throw part.problem("environment takes production or development")
        }
        return isDevelopment
    }

    static func androidKey(_ part: SettingsPart) throws(CredentialSettingsError) -> AndroidKeyAttester {
        let body = try part.members(of: ["packages", "signers", "level", "roots", "revoked"])
        guard let packages = body["packages"], let signers = body["signers"], let roots = body["roots"] else {
            throw part.problem("packages, signers and roots are needed")
        }
        var digests: [[UInt8]] = []
        for text in try signers.texts() {
            guard let digest = [UInt8](hex: text.replacing(":", with: "")), digest.count == 32 else {
                throw signers.problem(
                    "signers takes a list of SHA-256 digests in hexadecimal, as apksigner prints them")
            }
            digests.append(digest)
        }
        let level = try body["level"]?.text() ?? "trusted_environment"
        guard let needsStrongBox = ["trusted_environment": false, "strong_box": true][level] else {
            throw part.problem("level takes trusted_environment or strong_box")
        }
        guard
            let attester = AndroidKeyAttester(
                packages: try packages.texts(), signers: digests, needsStrongBox: needsStrongBox,
                roots: try contents(roots), revoked: try body["revoked"]?.text())
        else { throw roots.problem("roots takes a file of certificates in PEM") }
        return attester
    }

    private static func contents(_ file: SettingsPart) throws(CredentialSettingsError) -> String {
        let path = try file.text()
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw file.problem("\(path) can't be read")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The rules of an app's credentials: who vouches for its devices, and how much they get.
package struct CredentialRules: Sendable {
    package let most: Int
    /// The attesters that vouch for devices, by what clients call them.
    package let attesters: [any Attester]

    /// The number that a device gets unless told otherwise: one, and another one if it lost that.
    package static let standardMost = 2

    package init(most: Int = standardMost, attesters: [any Attester]) {
        (self.most, self.attesters) = (most, attesters)
    }
}

/// A value of an operator's file, with where it stands.
struct SettingsPart {
    private let node: Node
    private let path: String
    /// The name that messages call it by.
    private let name: String

    init(_ node: Node, path: String, name: String) { (self.node, self.path, self.name) = (node, path, name) }

    func problem(_ words: String) -> CredentialSettingsError {
        .wrong(path: path, line: node.mark?.line ?? 1, part: name, words: words)
    }

    /// The members of a mapping, in the order of the text.
    func members() throws(CredentialSettingsError) -> [(String, SettingsPart)] {
        guard let mapping = node.mapping else { throw problem("a mapping is allowed here") }
        var found: [(String, SettingsPart)] = []
        for (key, value) in mapping {
            guard let name = key.string else { throw problem("keys are names") }
            found.append((name, SettingsPart(value, path: path, name: name)))
        }
        return found
    }

    /// The members of a mapping that has these keys and no others.
    func members(of known: [String]) throws(CredentialSettingsError) -> [String: SettingsPart] {
        var found: [String: SettingsPart] = [:]
        for (name, part) in try members() {
            guard known.contains(name) else {
                throw part.problem("no such key; allowed: \(known.joined(separator: ", "))")
            }
            found[name] = part
        }
        return found
    }

    func text() throws(CredentialSettingsError) -> String {
        guard let text = node.scalar?.string, !text.isEmpty else { throw problem("a text is allowed here") }
        return text
    }

    func texts() throws(CredentialSettingsError) -> [String] {
        guard let sequence = node.sequence, !sequence.isEmpty else { throw problem("a list of texts is allowed here") }
        var texts: [String] = []
        for node in sequence { texts.append(try SettingsPart(node, path: path, name: name).text()) }
        return texts
    }

    func file(in folder: String) throws(CredentialSettingsError) -> String {
        let text = try text()
        guard !text.contains("/"), !text.hasPrefix(".") else {
            throw problem("\(name) takes the name of a file in \(folder)")
        }
        return "\(folder)/\(text)"
    }

    func number(_ range: ClosedRange<Int>) throws(CredentialSettingsError) -> Int {
        guard let text = node.scalar?.string, let number = Int(text), range.contains(number) else {
            throw problem("a whole number from \(range.lowerBound) to \(range.upperBound) is allowed here")
        }
        return number
    }
}

/// The reason why a file does not say who vouches for devices.
package enum CredentialSettingsError: Error, Sendable, Hashable, CustomStringConvertible {
    case unreadable(path: String)
    case notYAML(path: String)
    case wrong(path: String, line: Int, part: String, words: String)

    package var description: String {
        switch self {
        case .unreadable(let path): "\(path) can't be read, or is no text of at most 1 MiB"
        case .notYAML(let path): "\(path) is no YAML in which each key stands once"
        case .wrong(let path, let line, let part, let words): "\(path):\(line): \(part): \(words)"
        }
    }
}
