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

    package init(
        _ text: String, path: String, apps: [AppName], secrets: String
    ) throws(CredentialSettingsError) {
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
        for (kind, part) in try list.members(of: kinds).sorted(by: {
            $0.key < $1.key
        }) {
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
        let secret = try body["authorization"].map { name throws(CredentialSettingsError) in
            try name.file(in: secrets)
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
}
